import { useMemo, useState, type FormEvent } from 'react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { formatCount, formatMoney, opLabel } from '../format.js';
import { Empty, Problem, useNow, useTitle } from '../ui/parts.js';
import { saveFile } from '../ui/save-file.js';
import { costsQuery, readFile, timezone, type FileFormat } from './costs-api.js';
import { CostSum } from './cost-sum.js';
import { CostsChart } from './costs-chart.js';
import { CostsTable } from './costs-table.js';
import {
  currentPeriod,
  periodBefore,
  periodOfStep,
  PERIODS,
  stepsOf,
  type NamedPeriod,
} from './period.js';
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
  const { by = 'model', last, sum, step, all } = useSearch({ from: FROM });
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
  const save = useMutation({
    mutationFn: async (format: FileFormat) =>
      saveFile(`costs-by-${by}.${format}`, await readFile(projectId, period, [by], format)),
  });
  const select = (next: { readonly sum?: string; readonly step?: string; readonly all?: string }) =>
    void navigate({
      search: ({ sum: _, step: __, all: ___, ...search }) => ({ ...search, ...next }),
    });

  return (
    <main id="main" className={css.costs}>
      <div className={css.head}>
        <h1>Costs</h1>
        <Choices
          by={by}
          named={named}
          onChange={(next) => void navigate({ search: { by, last: named.name, ...next } })}
        />
        <button type="button" onClick={() => save.mutate('csv')}>
          CSV
        </button>
        <button type="button" onClick={() => save.mutate('parquet')}>
          Parquet
        </button>
        <Link to="/$entity/$project/weave/prices" params={{ entity, project }}>
          Prices
        </Link>
      </div>
      {error !== null && <Problem error={error} retry={refetch} />}
      {save.error !== null && <Problem error={save.error} />}
      {rows === undefined && error === null && <Empty>Loading…</Empty>}
      {rows?.length === 0 && <Empty>No call of this period has usage.</Empty>}
      {rows !== undefined && rows.length > 0 && (
        <>
          <Total
            totals={totals}
            before={totalsOf(before ?? [])}
            isOpen={all !== undefined}
            onSelect={() => select(all === undefined ? { all: '1' } : {})}
          />
          <Unpriced projectId={projectId} period={period} />
          {by !== named.step && (
            <CostsChart
              {...stacked}
              label={label}
              onSelect={(group, at) => select({ sum: group, step: at })}
            />
          )}
          <CostsTable
            rows={rows}
            before={before ?? []}
            column={column}
            label={label}
            totals={totals}
            selected={step === undefined ? sum : undefined}
            onSelect={(value) => select(value === sum && step === undefined ? {} : { sum: value })}
          />
          {sum !== undefined && (
            <CostSum
              key={`${sum} ${step}`}
              projectId={projectId}
              period={step === undefined ? period : periodOfStep(period, step)}
              by={by}
              value={sum}
              label={step === undefined ? label(sum) : `${label(sum)}, ${step}`}
            />
          )}
          {all !== undefined && (
            <CostSum {...{ projectId, period }} by="model" value={undefined} label="all models" />
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

interface TotalProps {
  readonly totals: Totals;
  readonly before: Totals;
  readonly isOpen: boolean;
  readonly onSelect: () => void;
}

function Total({ totals, before, isOpen, onSelect }: TotalProps) {
  return (
    <div>
      {totals.costs.size === 0 && <p className={css.total}>No usage has a price</p>}
      {[...totals.costs].map(([unit, cost]) => {
        const change = changeOf(cost, before.costs.get(unit));
        return (
          <p key={unit}>
            <button type="button" aria-pressed={isOpen} onClick={onSelect}>
              <strong className={css.total} title={cost}>
                {moneyIn(unit, cost)}
              </strong>
            </button>{' '}
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

const moneyIn = (unit: string, cost: string) =>
  unit === 'USD' ? formatMoney(Number(cost)) : `${formatMoney(Number(cost)).slice(1)} ${unit}`;

const changeText = (change: number) =>
  `${change < 0 ? '−' : '+'}${Math.abs(change * 100).toFixed(0)} % against the period before`;
