import { formatCount, formatMoney } from '../format.js';
import type { CostRow } from './costs-api.js';
import { changeOf, valueOf, type Totals } from './summary.js';
import board from '../ui/board.module.css';
import css from './costs.module.css';

interface TableProps {
  readonly rows: readonly CostRow[];
  readonly before: readonly CostRow[];
  readonly column: string;
  readonly label: (value: string) => string;
  readonly totals: Totals;
  readonly selected: string | undefined;
  readonly onSelect: (value: string) => void;
}

const TOKENS = [
  ['Input', 'uncached_input_tokens'],
  ['Cache read', 'cache_read_input_tokens'],
  ['Cache write', 'cache_creation_input_tokens'],
  ['Output', 'output_tokens'],
] as const;

/** One row for each group and currency, the most expensive first. A cost opens its sum. */
export function CostsTable(props: TableProps) {
  const { rows, before, column, label, totals, selected, onSelect } = props;
  const costBefore = new Map(
    before.map((row) => [`${row.unit} ${valueOf(row, column)}`, row.total_cost]),
  );
  const sorted = [...rows].sort((a, b) => Number(b.total_cost ?? -1) - Number(a.total_cost ?? -1));
  return (
    <div className={board.scroll} role="region" aria-label="Costs" tabIndex={0}>
      <table className={`${board.table} ${css.table}`}>
        <thead>
          <tr>
            <th scope="col">{column}</th>
            {['Calls', ...TOKENS.map(([name]) => name), 'Cost', 'Share', 'Change'].map((name) => (
              <th key={name} scope="col" className={css.number}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => {
            const value = valueOf(row, column);
            const change = changeOf(row.total_cost, costBefore.get(`${row.unit} ${value}`));
            const total = Number(totals.costs.get(row.unit ?? '') ?? 0);
            return (
              <tr key={`${row.unit} ${value}`}>
                <th scope="row">{label(value)}</th>
                <td className={css.number}>{formatCount(row.calls)}</td>
                {TOKENS.map(([name, member]) => (
                  <td key={name} className={css.number}>
                    {formatCount(row[member])}
                  </td>
                ))}
                <td className={css.number}>
                  <button
                    type="button"
                    aria-pressed={value === selected}
                    aria-label={`Cost of ${label(value)}: ${costText(row)}. Show its sum`}
                    title={row.total_cost ?? 'no price'}
                    onClick={() => onSelect(value)}
                  >
                    {costText(row)}
                  </button>
                </td>
                <td className={css.number}>
                  {row.total_cost === null || total === 0
                    ? '–'
                    : `${((Number(row.total_cost) / total) * 100).toFixed(1)} %`}
                </td>
                <td className={css.number}>{change === null ? '–' : percent(change)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function costText({ total_cost, unit, pricing }: CostRow): string {
  if (total_cost === null) return 'no price';
  const money = formatMoney(Number(total_cost));
  const text = unit === 'USD' ? money : `${money.slice(1)} ${unit}`;
  return pricing === 'partial' ? `${text}, in part` : text;
}

const percent = (change: number) =>
  `${change < 0 ? '−' : '+'}${Math.abs(change * 100).toFixed(0)} %`;
