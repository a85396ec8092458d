import { useQuery } from '@tanstack/react-query';
import { formatCount } from '../format.js';
import { perMillion, segmentsWithin } from '../prices/price-history.js';
import { pricesQuery, type StoredPrice } from '../prices/prices-api.js';
import { Empty, Problem } from '../ui/parts.js';
import { costsQuery, type CostRow } from './costs-api.js';
import { sumOf, timesTokens } from './decimal.js';
import type { Period } from './period.js';
import { columnOf, valueOf } from './summary.js';
import board from '../ui/board.module.css';
import css from './costs.module.css';

interface Selection {
  readonly projectId: string;
  readonly period: Period;
  readonly by: string;
  /** Undefined for everything. */
  readonly value: string | undefined;
}

/** Why a group costs what it costs: the tokens of each model, the prices in force, and whose they are. */
export function CostSum({ label, ...selection }: Selection & { readonly label: string }) {
  const { rows, error } = useRows(selection);
  return (
    <section aria-label={`Sum of ${label}`} className={css.sum}>
      <h2>Sum of {label}</h2>
      {error !== null && <Problem error={error} />}
      {rows === undefined && error === null && <Empty>Loading…</Empty>}
      {rows?.map((row) => (
        <ModelSum key={`${row['model']} ${row.unit}`} selection={selection} row={row} />
      ))}
    </section>
  );
}

/** The rows of the selected group, by model. */
function useRows({ projectId, period, by, value }: Selection) {
  const groups = by === 'model' ? ['model'] : [by, 'model'];
  const { data, error } = useQuery(costsQuery(projectId, period, groups));
  const rows = data?.filter((row) => value === undefined || valueOf(row, columnOf(by)) === value);
  return { rows, error };
}

function ModelSum({ selection, row }: { readonly selection: Selection; readonly row: CostRow }) {
  const model = valueOf(row, 'model');
  const { data, error } = useQuery(pricesQuery(selection.projectId, '', model));
  const segments = data === undefined ? [] : segmentsWithin(data, selection.period);
  return (
    <div>
      <h3>
        {model || 'no model'}: {row.total_cost === null ? 'no price' : money(row, row.total_cost)}
      </h3>
      {error !== null && <Problem error={error} />}
      {data !== undefined && segments.length === 0 && <p>No price is known for this model.</p>}
      {segments.map(({ price, start, end }) => (
        <SegmentSum
          key={start}
          selection={{ ...selection, period: { start, end } }}
          {...{ model, price }}
        />
      ))}
      {segments.length > 1 && (
        <p className={css.muted}>
          The price changed in this period: every call has the price that was in force when it
          started.
        </p>
      )}
    </div>
  );
}

interface SegmentProps {
  readonly selection: Selection;
  readonly model: string;
  readonly price: StoredPrice;
}

/** The tokens of the time in which a price was in force, times that price. */
function SegmentSum({ selection, model, price }: SegmentProps) {
  const { rows, error } = useRows(selection);
  if (error !== null) return <Problem error={error} />;
  const row = rows?.find((one) => valueOf(one, 'model') === model);
  if (row === undefined) return null;
  const parts = [
    ['Input', row.uncached_input_tokens, price.prompt_token_cost],
    ['Cache read', row.cache_read_input_tokens, price.cache_read_input_token_cost],
    ['Cache write', row.cache_creation_input_tokens, price.cache_creation_input_token_cost],
    ['Output', row.output_tokens, price.completion_token_cost],
  ] as const;
  const costs = parts.map(([, tokens, each]) => timesTokens(tokens, each));
  return (
    <div className={board.scroll} role="region" aria-label="Tokens and prices" tabIndex={0}>
      <table className={`${board.table} ${css.table}`}>
        <caption className={css.muted}>
          {price.pricing_level === 'default'
            ? `Default price${price.source === '' ? '' : ` of ${price.source}`}`
            : `Price of the ${price.pricing_level}, set by ${price.created_by}`}
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
          {parts.map(([name, tokens, each], i) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className={css.number}>{formatCount(tokens)}</td>
              <td className={css.number}>{money(row, perMillion(each))}</td>
              <td className={css.number}>{money(row, costs[i]!)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">Sum</th>
            <td className={css.number}>{formatCount(row.total_tokens)}</td>
            <td />
            <td className={css.number}>{money(row, sumOf(costs))}</td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}

/** All digits, because this is where a figure is checked. */
const money = ({ unit }: CostRow, cost: string): string =>
  unit === null || unit === 'USD' ? `$${cost}` : `${cost} ${unit}`;
