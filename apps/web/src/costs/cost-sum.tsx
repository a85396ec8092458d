import { useQuery } from '@tanstack/react-query';
import { formatCount, formatMoney } from '../format.js';
import { Empty, Problem } from '../ui/parts.js';
import { costsQuery, pricesQuery, type CostRow, type Price } from './costs-api.js';
import type { Period } from './period.js';
import { pricesWithin } from './prices.js';
import { columnOf, valueOf } from './summary.js';
import css from './costs.module.css';

interface SumProps {
  readonly projectId: string;
  readonly period: Period;
  readonly by: string;
  readonly value: string;
  readonly label: string;
}

/** Why a group costs what it costs: the tokens of each model, the prices in force, and whose they are. */
export function CostSum({ projectId, period, by, value, label }: SumProps) {
  const groups = by === 'model' ? ['model'] : [by, 'model'];
  const { data, error } = useQuery(costsQuery(projectId, period, groups));
  const rows = data?.filter((row) => valueOf(row, columnOf(by)) === value);
  return (
    <section aria-label={`Sum of ${label}`} className={css.sum}>
      <h2>Sum of {label}</h2>
      {error !== null && <Problem error={error} />}
      {rows === undefined && error === null && <Empty>Loading…</Empty>}
      {rows?.map((row) => (
        <ModelSum key={`${row['model']} ${row.unit}`} {...{ projectId, period, row }} />
      ))}
    </section>
  );
}

interface ModelSumProps {
  readonly projectId: string;
  readonly period: Period;
  readonly row: CostRow;
}

function ModelSum({ projectId, period, row }: ModelSumProps) {
  const model = valueOf(row, 'model');
  const { data, error } = useQuery(pricesQuery(projectId, model));
  const prices = data === undefined ? [] : pricesWithin(data, period);
  return (
    <div>
      <h3>
        {model || 'no model'}: {row.total_cost === null ? 'no price' : formatMoney(row.total_cost)}
      </h3>
      {error !== null && <Problem error={error} />}
      {data !== undefined && prices.length === 0 && <p>No price is known for this model.</p>}
      {prices.map((price) => (
        <Priced key={price.id} row={row} price={price} isOnly={prices.length === 1} />
      ))}
      {prices.length > 1 && (
        <p className={css.muted}>
          The price changed in this period: every call has the price that was in force when it
          started.
        </p>
      )}
    </div>
  );
}

interface PricedProps {
  readonly row: CostRow;
  readonly price: Price;
  readonly isOnly: boolean;
}

function Priced({ row, price, isOnly }: PricedProps) {
  const parts = [
    ['Input', row.uncached_input_tokens, price.prompt_token_cost],
    ['Cache read', row.cache_read_input_tokens, price.cache_read_input_token_cost ?? 0],
    ['Cache write', row.cache_creation_input_tokens, price.cache_creation_input_token_cost ?? 0],
    ['Output', row.output_tokens, price.completion_token_cost],
  ] as const;
  return (
    <div className={css.scroll} role="region" aria-label="Tokens and prices" tabIndex={0}>
      <table className={css.table}>
        <caption className={css.muted}>
          {price.pricing_level === 'default'
            ? `Default price${price.source === null ? '' : ` of ${price.source}`}`
            : `Price of the ${price.pricing_level}`}
          , in force since {price.effective_date.slice(0, 10)}
        </caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            {['Tokens', 'Price per million', 'Cost'].map((name) => (
              <th key={name} scope="col" className={css.number}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {parts.map(([name, tokens, each]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className={css.number}>{isOnly ? formatCount(tokens) : '–'}</td>
              <td className={css.number}>{formatMoney(each * 1_000_000)}</td>
              <td className={css.number}>{isOnly ? formatMoney(tokens * each) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
