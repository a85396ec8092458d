import { lazy, Suspense } from 'react';
import { Link, useSearch } from '@tanstack/react-router';
import { useSession } from '../shell/session-context.js';
import { Empty, useTitle } from '../ui/parts.js';
import { TABS, type Tab } from './operations-search.js';
import css from './operations.module.css';

const LABELS: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  'dead-letters': 'Dead letters',
  keys: 'Keys',
  audit: 'Audit log',
  maintenance: 'Retention and jobs',
  erasure: 'Erasure',
};

const SCREENS = {
  overview: lazy(() => import('./overview.js').then(({ Overview }) => ({ default: Overview }))),
  'dead-letters': lazy(() =>
    import('./dead-letters.js').then(({ DeadLetters }) => ({ default: DeadLetters })),
  ),
  keys: lazy(() => import('./keys.js').then(({ Keys }) => ({ default: Keys }))),
  audit: lazy(() => import('./audit.js').then(({ Audit }) => ({ default: Audit }))),
  maintenance: lazy(() =>
    import('./maintenance.js').then(({ Maintenance }) => ({ default: Maintenance })),
  ),
  erasure: lazy(() => import('./erasure.js').then(({ Erasure }) => ({ default: Erasure }))),
};

/** What an admin needs to run the server: one tab for each concern, all of them in the address. */
export function Operations() {
  const { tab = TABS[0] } = useSearch({ from: '/-/operations' });
  const { role, scope } = useSession();
  const current = TABS.find((one) => one === tab) ?? TABS[0];
  useTitle(LABELS[current]);
  if (role !== 'admin') {
    return (
      <main id="main">
        <Empty>This key may not administer. Sign in with a key of the role admin.</Empty>
      </main>
    );
  }
  const Screen = SCREENS[current];
  return (
    <main id="main" className={css.operations}>
      <div className={css.head}>
        <h1>Operations</h1>
        {scope !== '*' && <span className={css.muted}>of {scope}</span>}
        <nav aria-label="Operations" className={css.tabs}>
          {TABS.map((one) => (
            <Link
              key={one}
              to="/-/operations"
              search={{ tab: one }}
              aria-current={one === current ? 'page' : undefined}
            >
              {LABELS[one]}
            </Link>
          ))}
        </nav>
      </div>
      <Suspense fallback={<Empty>Loading…</Empty>}>
        <Screen />
      </Suspense>
    </main>
  );
}
