import { useMemo, useState, type FormEvent } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { formatCount, formatMoney, opLabel } from '../format.js';
import { Empty, Problem, useNow, useTitle } from '../ui/parts.js';
import { saveFile } from '../ui/save-file.js';
import { costsQuery, readCsv, timezone } from './costs-api.js';
import { CostSum } from './cost-sum.js';
import { CostsChart } from './costs-chart.js';
import { CostsTable } from './costs-table.js';
import { currentPeriod, periodBefore, PERIODS, stepsOf, type NamedPeriod } from './period.js';
import { changeOf, columnOf, stacksOf, totalsOf, type Totals } from './summary.js';
import { Unpriced } from './unpriced.js';
import css from './costs.module.css';

const GROUPS = ['model', 'op', 'user', 'thread', 'status', 'day'];
const FROM = '/$entity/$project/weave/costs';
const MINUTE_MS = 60_000;

/** What the calls of a project cost, by any group, over time and against the period before. */
export function Costs() {
  const { entity, project } = useParams({ from: FROM });
  const projectId = `${entity}/${project}`;
  useTitle(`Costs of ${projectId}`);
  const { by = 'model', last, sum } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const named = PERIODS.find(({ name }) => name === last) ?? PERIODS[1];
  const { period, rows, before, chart, error, refetch } = useCosts(projectId, named, by);
  const column = columnOf(by);
  const label = useMemo(() => labelOf(by), [by]);
  const totals = totalsOf(rows ?? []);
  const stacked = useMemo(
    () => stacksOf(chart ?? [], stepsOf(period, named.step), { step: named.step, group: column }),
    [chart, period, named, column],
  );
  const save = async () => saveFile(`costs-by-${by}.csv`, await readCsv(projectId, period, [by]));

  return (
    <main id="main" className={css.costs}>
      <div className={css.head}>
        <h1>Costs</h1>
        <Choices
          by={by}
          named={named}
          onChange={(next) => void navigate({ search: { by, last: named.name, ...next } })}
        />
        <button type="button" onClick={() => void save()}>
          CSV
        </button>
      </div>
      {error !== null && <Problem error={error} retry={refetch} />}
      {rows === undefined && error === null && <Empty>Loading…</Empty>}
      {rows?.length === 0 && <Empty>No call of this period has usage.</Empty>}
      {rows !== undefined && rows.length > 0 && (
        <>
          <Total totals={totals} before={totalsOf(before ?? [])} />
          <Unpriced projectId={projectId} period={period} />
          {by !== named.step && <CostsChart {...stacked} label={label} />}
          <CostsTable
            rows={rows}
            before={before ?? []}
            column={column}
            label={label}
            totals={totals}
            selected={sum}
            onSelect={(value) =>
              void navigate({
                search: ({ sum: shown, ...search }) =>
                  value === shown ? search : { ...search, sum: value },
              })
            }
          />
          {sum !== undefined && (
            <CostSum
              key={sum}
              projectId={projectId}
              period={period}
              by={by}
              value={sum}
              label={label(sum)}
            />
          )}
          <p className={css.muted}>
            Days and hours are those of {timezone}. Clients add the usage of children to their
            parents, so calls without a parent are counted.
          </p>
        </>
      )}
    </main>
  );
}

function useCosts(projectId: string, named: NamedPeriod, by: string) {
  const now = useNow(MINUTE_MS);
  const period = useMemo(() => currentPeriod(named, now), [named, now]);
  const options = { placeholderData: keepPreviousData } as const;
  const rows = useQuery({ ...costsQuery(projectId, period, [by]), ...options });
  const before = useQuery({ ...costsQuery(projectId, periodBefore(period), [by]), ...options });
  const steps = by === named.step ? [by] : [named.step, by];
  const chart = useQuery({ ...costsQuery(projectId, period, steps), ...options });
  return {
    period,
    rows: rows.data,
    before: before.data,
    chart: chart.data,
    error: rows.error ?? before.error ?? chart.error,
    refetch: () => void Promise.all([rows.refetch(), before.refetch(), chart.refetch()]),
  };
}

const labelOf = (by: string) => (value: string) =>
  value === '' ? 'none' : by === 'op' ? opLabel(value) : value;

interface ChoicesProps {
  readonly by: string;
  readonly named: NamedPeriod;
  readonly onChange: (next: { readonly by?: string; readonly last?: string }) => void;
}

function Choices({ by, named, onChange }: ChoicesProps) {
  const [path, setPath] = useState(by.includes('.') ? by : '');
  const groups = GROUPS.includes(by) ? GROUPS : [...GROUPS, by];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (path.trim() !== '') onChange({ by: path.trim() });
  };
  return (
    <>
      <label className={css.field}>
        By
        <select value={by} onChange={({ target }) => onChange({ by: target.value })}>
          {groups.map((group) => (
            <option key={group}>{group}</option>
          ))}
        </select>
      </label>
      <form onSubmit={submit}>
        <label className={css.field}>
          Or by an attribute
          <input
            value={path}
            placeholder="attributes.team"
            onChange={({ target }) => setPath(target.value)}
          />
        </label>
      </form>
      <label className={css.field}>
        Period
        <select value={named.name} onChange={({ target }) => onChange({ last: target.value })}>
          {PERIODS.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

function Total({ totals, before }: { readonly totals: Totals; readonly before: Totals }) {
  return (
    <div>
      {totals.costs.size === 0 && <p className={css.total}>No usage has a price</p>}
      {[...totals.costs].map(([unit, cost]) => {
        const change = changeOf(cost, before.costs.get(unit));
        return (
          <p key={unit}>
            <strong className={css.total} title={String(cost)}>
              {unit === 'USD' ? formatMoney(cost) : `${formatMoney(cost).slice(1)} ${unit}`}
            </strong>{' '}
            <span className={css.muted}>
              {change === null ? 'no costs in the period before' : changeText(change)}
            </span>
          </p>
        );
      })}
      <p className={css.muted}>{formatCount(totals.tokens)} tokens</p>
    </div>
  );
}

const changeText = (change: number) =>
  `${change < 0 ? '−' : '+'}${Math.abs(change * 100).toFixed(0)} % against the period before`;
