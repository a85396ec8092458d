import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { OPERATIONS_SEARCH } from './operations/operations-search.js';
import { projectRoutes } from './project-routes.js';
import { Home } from './projects/home.js';
import { getParentRoute, root } from './root-route.js';
import { parseSearch, picked, printSearch } from './search-params.js';
import { Traces } from './traces/traces.js';
import { TRACES_SEARCH } from './traces/traces-search.js';

const TRACE_SEARCH = [
  ...['call', 'tab', 'find', 'zoom', 'fold'],
  // In the tab of a call.
  ...['path', 'msg', 'text', 'open', 'seek', 'whole'],
] as const;
const traceSearch = (search: Record<string, unknown>) => picked(search, TRACE_SEARCH);
const trace = lazyRouteComponent(() => import('./trace/trace.js'), 'Trace');

const operations = lazyRouteComponent(() => import('./operations/operations.js'), 'Operations');

const costs = lazyRouteComponent(() => import('./costs/costs.js'), 'Costs');
const statistics = lazyRouteComponent(() => import('./stats/stats.js'), 'Statistics');
const alerts = lazyRouteComponent(() => import('./alerts/alerts.js'), 'Alerts');
const prices = lazyRouteComponent(() => import('./prices/prices.js'), 'Prices');
const STATS_SEARCH = ['by', 'last'] as const;
const COSTS_SEARCH = ['by', 'last', 'sum', 'step', 'all'] as const;

const home = createRoute({
  getParentRoute,
  path: '/',
  validateSearch: (search: Record<string, unknown>) => picked(search, ['find', 'sdk']),
  component: Home,
});
/** No entity has this name, so that no project has this address. */
const operationsScreen = createRoute({
  getParentRoute,
  path: '/-/operations',
  validateSearch: (search: Record<string, unknown>) => picked(search, OPERATIONS_SEARCH),
  component: operations,
});

/** Shows the traces instead of an address that has no screen of its own. A saved view describes its list itself. */
const toTraces = () => ({
  validateSearch: (search: Record<string, unknown>) => picked(search, ['view']),
  beforeLoad: ({
    params,
    search: { view },
  }: {
    params: Readonly<Record<string, string>>;
    search: { readonly view?: string };
  }) => {
    // The router recognises its own value; an error around it would be shown as one.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    throw redirect({
      to: '/$entity/$project/weave/traces',
      params: { entity: params['entity']!, project: params['project']! },
      search: view === undefined ? {} : { view },
      replace: true,
    });
  },
});

const project = createRoute({ getParentRoute, path: '/$entity/$project', ...toTraces() });
const weave = createRoute({ getParentRoute, path: '/$entity/$project/weave', ...toTraces() });
const calls = createRoute({ getParentRoute, path: '/$entity/$project/weave/calls', ...toTraces() });
const traces = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/traces',
  validateSearch: (search: Record<string, unknown>) => picked(search, TRACES_SEARCH),
  component: Traces,
});
const traceById = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/traces/$traceId',
  validateSearch: traceSearch,
  component: trace,
});
const callById = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/calls/$callId',
  validateSearch: traceSearch,
  component: trace,
});
/** The link that the SDKs print. */
const printedCall = createRoute({
  getParentRoute,
  path: '/$entity/$project/r/call/$callId',
  validateSearch: traceSearch,
  component: trace,
});
const costsScreen = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/costs',
  validateSearch: (search: Record<string, unknown>) => picked(search, COSTS_SEARCH),
  component: costs,
});
const statsScreen = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/stats',
  validateSearch: (search: Record<string, unknown>) => picked(search, STATS_SEARCH),
  component: statistics,
});

const pricesScreen = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/prices',
  validateSearch: (search: Record<string, unknown>) => picked(search, ['find', 'model']),
  component: prices,
});

const alertsScreen = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/alerts',
  validateSearch: (search: Record<string, unknown>) => picked(search, ['alert']),
  component: alerts,
});

const routeTree = root.addChildren([
  home,
  operationsScreen,
  project,
  weave,
  calls,
  traces,
  traceById,
  callById,
  printedCall,
  costsScreen,
  statsScreen,
  alertsScreen,
  pricesScreen,
  ...projectRoutes,
]);

export function createPageRouter() {
  return createRouter({ routeTree, parseSearch, stringifySearch: printSearch });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPageRouter>;
  }
}
