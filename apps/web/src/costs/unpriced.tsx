import { useQuery } from '@tanstack/react-query';
import { formatCount } from '../format.js';
import { mayWrite } from '../login/session.js';
import { PriceForm } from '../prices/price-form.js';
import { useSession } from '../shell/session-context.js';
import { costsQuery } from './costs-api.js';
import type { Period } from './period.js';
import { valueOf } from './summary.js';
import css from './costs.module.css';

interface UnpricedProps {
  readonly projectId: string;
  readonly period: Period;
}

/** Names the models whose usage has no price, and takes a price for each. */
export function Unpriced({ projectId, period }: UnpricedProps) {
  const { role } = useSession();
  const { data = [] } = useQuery(costsQuery(projectId, period, ['model']));
  const unpriced = data.filter((row) => row.unpriced_tokens > 0);
  if (unpriced.length === 0) return null;
  return (
    <section aria-label="Usage without a price" className={css.notice}>
      <ul className={css.unpriced}>
        {unpriced.map((row) => {
          const model = valueOf(row, 'model');
          return (
            <li key={model}>
              <p>
                {formatCount(row.unpriced_tokens)} tokens of <strong>{model || 'no model'}</strong>{' '}
                have no price and are not in the sum.
              </p>
              {mayWrite(role) && model !== '' && (
                <details>
                  <summary>Set the price of {model}</summary>
                  <PriceForm
                    projectId={projectId}
                    model={model}
                    since={period.start.slice(0, 10)}
                    onSaved={() => undefined}
                  />
                </details>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
