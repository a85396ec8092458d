import { Link } from '@tanstack/react-router';
import { formatAge, formatCount } from '../format.js';
import { useNow } from '../ui/parts.js';
import type { Ledger } from './health-api.js';
import board from '../ui/board.module.css';
import css from './operations.module.css';

const WORDS = { true: 'holds', false: 'broken', null: 'not checked yet' } as const;

/** The equations that prove that nothing is lost, and the projects that break one. */
export function LedgerSection({ ledger }: { readonly ledger: Ledger }) {
  const now = useNow(5_000);
  const { checked_at, received, settled, pending, equations, broken } = ledger;
  return (
    <section aria-labelledby="ledger" className={css.section}>
      <h2 id="ledger">Ledger</h2>
      <p>
        {formatCount(received)} received = {formatCount(settled)} settled + {formatCount(pending)}{' '}
        pending.{' '}
        {checked_at === null
          ? 'No worker has compared it with the store yet.'
          : `Compared with the store ${formatAge(checked_at, now)}.`}
      </p>
      <ol className={css.equations}>
        {equations.map(({ equation, holds }) => (
          <li key={equation}>
            {equation}:{' '}
            <strong className={holds === null ? css.muted : holds ? css.good : css.bad}>
              {WORDS[`${holds}`]}
            </strong>
          </li>
        ))}
      </ol>
      {broken.length > 0 && <Broken broken={broken} />}
    </section>
  );
}

const COLUMNS = [
  ['Received', 'received'],
  ['Settled', 'settled'],
  ['Pending', 'pending'],
  ['Unbalanced facts', 'unbalanced_facts'],
  ['Missing facts', 'missing_facts'],
  ['Stale calls', 'stale_calls'],
  ['Other usage', 'calls_with_other_usage'],
] as const;

function Broken({ broken }: Pick<Ledger, 'broken'>) {
  return (
    <div className={board.scroll} role="region" aria-label="Projects" tabIndex={0}>
      <table className={`${board.table} ${css.table}`}>
        <thead>
          <tr>
            <th scope="col">Project</th>
            {COLUMNS.map(([name]) => (
              <th key={name} scope="col" className={css.number}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {broken.map((project) => {
            const [entity, name] = project.project_id.split('/');
            return (
              <tr key={project.project_id}>
                <th scope="row">
                  {entity && name ? (
                    <Link to="/$entity/$project/weave/traces" params={{ entity, project: name }}>
                      {project.project_id}
                    </Link>
                  ) : (
                    'none'
                  )}
                </th>
                {COLUMNS.map(([label, member]) => (
                  <td key={label} className={css.number}>
                    {formatCount(project[member])}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
