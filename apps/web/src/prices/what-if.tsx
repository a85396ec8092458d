import { formatCount } from '../format.js';
import type { WhatIf, WhatIfCost } from './prices-api.js';
import board from '../ui/board.module.css';
import css from '../costs/costs.module.css';

/** What usage costs now and would cost, per model and in total. */
export function WhatIfTable({ result }: { readonly result: WhatIf }) {
  const rows = result.models.flatMap(({ model, calls, costs }) =>
    costs.map((cost) => ({ name: model, calls: formatCount(calls), cost })),
  );
  const totals = result.totals.map((cost) => ({ name: 'Total', calls: '', cost }));
  const unpriced = result.models.filter(({ unpriced_tokens_then }) => unpriced_tokens_then > 0);
  return (
    <section aria-label="What would change" className={css.sum}>
      <h3>What would change</h3>
      {rows.length === 0 && <p>No call has used {result.models[0]?.model ?? 'it'} yet.</p>}
      {rows.length > 0 && (
        <div className={board.scroll} role="region" aria-label="Costs now and then" tabIndex={0}>
          <table className={`${board.table} ${css.table}`}>
            <thead>
              <tr>
                <th scope="col">Model</th>
                {['Calls', 'Costs now', 'Would cost', 'Difference'].map((name) => (
                  <th key={name} scope="col" className={css.number}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {[...rows, ...totals].map(({ name, calls, cost }) => (
                <tr key={`${name} ${cost.unit}`}>
                  <th scope="row">{name}</th>
                  <td className={css.number}>{calls}</td>
                  <td className={css.number}>{amount(cost, cost.cost_now)}</td>
                  <td className={css.number}>{amount(cost, cost.would_cost)}</td>
                  <td className={css.number}>{signed(cost)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {unpriced.map(({ model, unpriced_tokens_then }) => (
        <p key={model}>
          {formatCount(unpriced_tokens_then)} tokens of {model} would have no price.
        </p>
      ))}
      <p className={css.muted}>
        Over all stored calls. Costs are computed when they are read, so that a saved price applies
        to past calls at once and nothing has to be computed again.
      </p>
    </section>
  );
}

/** All digits: a difference of a millionth is a difference. */
const amount = ({ unit }: WhatIfCost, value: string): string =>
  unit === 'USD' ? `$${value}`.replace('$-', '−$') : `${value.replace('-', '−')} ${unit}`;

const signed = (cost: WhatIfCost): string =>
  `${cost.difference.startsWith('-') || cost.difference === '0' ? '' : '+'}${amount(cost, cost.difference)}`;
