import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { getParentRoute } from './root-route.js';
import { picked } from './search-params.js';

/** The members of the address that a screen reads. */
const keeps =
  <K extends string>(...names: readonly K[]) =>
  (search: Record<string, unknown>) =>
    picked(search, names);

const EVALUATIONS_SEARCH = ['page', 'ids', 'board', 'sort', 'view'] as const;

const evaluations = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/evaluations',
  validateSearch: (search: Record<string, unknown>) => picked(search, EVALUATIONS_SEARCH),
  /** A saved view describes a list of calls itself. */
  beforeLoad: ({ params, search: { view } }) => {
    if (view === undefined) return;
    // The router recognises its own value; an error around it would be shown as one.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    throw redirect({
      to: '/$entity/$project/weave/traces',
      params,
      search: { view },
      replace: true,
    });
  },
  component: lazyRouteComponent(() => import('./evaluations/evaluations.js'), 'Evaluations'),
});
const compareEvaluations = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/evaluations/compare',
  validateSearch: keeps('ids', 'metric', 'page', 'show'),
  component: lazyRouteComponent(
    () => import('./evaluations/compare-evaluations.js'),
    'CompareEvaluations',
  ),
});
const leaderboard = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/leaderboards/$name',
  validateSearch: keeps('sort'),
  component: lazyRouteComponent(() => import('./evaluations/leaderboard.js'), 'Leaderboard'),
});
const compareCalls = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/compare',
  validateSearch: keeps('calls', 'pair', 'page', 'show', 'as'),
  component: lazyRouteComponent(() => import('./compare/compare-calls.js'), 'CompareCalls'),
});
const annotationQueues = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/annotations',
  component: lazyRouteComponent(() => import('./annotation-queues/queues.js'), 'AnnotationQueues'),
});
const annotationQueue = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/annotations/$queueId',
  validateSearch: keeps('item'),
  component: lazyRouteComponent(() => import('./annotation-queues/queue.js'), 'AnnotationQueue'),
});

const OBJECT_SEARCH = ['diff', 'as', 'path', 'open', 'seek', 'sort', 'find', 'row'] as const;
const object = lazyRouteComponent(() => import('./objects/object-version.js'), 'ObjectVersion');
const objectList = lazyRouteComponent(() => import('./objects/objects.js'), 'Objects');
const objectVersion = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/objects/$name/versions/$digest',
  validateSearch: (search: Record<string, unknown>) => picked(search, OBJECT_SEARCH),
  component: object,
});
const opVersion = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/ops/$name/versions/$digest',
  validateSearch: (search: Record<string, unknown>) => picked(search, OBJECT_SEARCH),
  component: object,
});
const objects = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/objects',
  validateSearch: keeps('kind', 'q'),
  component: objectList,
});
const ops = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/ops',
  validateSearch: keeps('kind', 'q'),
  component: objectList,
});
const prompts = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/prompts',
  validateSearch: keeps('kind', 'q'),
  component: objectList,
});
const models = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/models',
  validateSearch: keeps('kind', 'q'),
  component: objectList,
});
const datasets = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/datasets',
  validateSearch: keeps('kind', 'q'),
  component: objectList,
});

const threads = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/threads',
  validateSearch: keeps('page', 'sort'),
  component: lazyRouteComponent(() => import('./threads/threads.js'), 'Threads'),
});
const threadScreen = lazyRouteComponent(() => import('./threads/thread.js'), 'Thread');
const thread = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/threads/$id',
  validateSearch: keeps('page'),
  component: threadScreen,
});
/** The link that the SDKs print for a conversation of an agent. */
const conversation = createRoute({
  getParentRoute,
  path: '/$entity/$project/weave/agents/conversations/$id',
  validateSearch: keeps('page'),
  component: threadScreen,
});

/** Screens of a project that most visits do not open: each loads its code when it is opened. */
export const projectRoutes = [
  evaluations,
  compareEvaluations,
  leaderboard,
  compareCalls,
  annotationQueues,
  annotationQueue,
  objectVersion,
  opVersion,
  objects,
  ops,
  prompts,
  models,
  datasets,
  threads,
  thread,
  conversation,
] as const;
