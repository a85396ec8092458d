import { type Expr, field, literal } from '@app/query-language/text';
import type { Facet, Facets as FacetCounts } from '../api/types.js';
import { formatCount, opLabel } from '../format.js';
import { hasCondition } from './toggle-condition.js';
import { usesModel } from './uses-model.js';
import css from './facets.module.css';

const TITLES: Readonly<Record<string, string>> = {
  'summary.weave.status': 'Status',
  op_name: 'Op',
  model: 'Model',
  wb_user_id: 'User',
};
const STATUS_LABELS: Readonly<Record<string, string>> = {
  success: 'ok',
  descendant_error: 'error below',
};

interface FacetsProps {
  readonly data: FacetCounts;
  readonly filter: string | undefined;
  readonly onToggle: (condition: Expr) => void;
}

/** The most frequent values. A click adds a value to the filter, the sign beside it excludes the value. */
export function Facets({ data, filter, onToggle }: FacetsProps) {
  return (
    <>
      {data.facets.map((facet) => (
        <FacetGroup key={facet.field} facet={facet} filter={filter} onToggle={onToggle} />
      ))}
      {data.sampled && (
        <p className={css.note}>Counted over the newest {formatCount(data.calls)} calls.</p>
      )}
    </>
  );
}

interface GroupProps extends Omit<FacetsProps, 'data'> {
  readonly facet: Facet;
}

function FacetGroup({ facet, filter, onToggle }: GroupProps) {
  if (facet.values.length === 0) return null;
  const title = TITLES[facet.field] ?? facet.field;
  const max = Math.max(...facet.values.map(({ count }) => count));
  return (
    <section aria-label={title} className={css.group}>
      <h2>{title}</h2>
      <ul>
        {facet.values.map(({ value, count }) => {
          const condition = conditionOf(facet.field, value);
          const exclusion = { $not: [condition] };
          const label = labelOf(facet.field, value);
          return (
            <li key={value}>
              <button
                type="button"
                className={css.value}
                aria-pressed={hasCondition(filter, condition)}
                onClick={() => onToggle(condition)}
                title={value}
              >
                <span className={css.bar} style={{ width: `${(count / max) * 100}%` }} />
                <span className={css.label}>{label}</span>
                <span className={css.count}>{formatCount(count)}</span>
              </button>
              <button
                type="button"
                className={css.not}
                aria-pressed={hasCondition(filter, exclusion)}
                aria-label={`Exclude ${title} ${label}`}
                title="Exclude"
                onClick={() => onToggle(exclusion)}
              >
                −
              </button>
            </li>
          );
        })}
      </ul>
      {facet.distinct > facet.values.length && (
        <p className={css.note}>{formatCount(facet.distinct - facet.values.length)} more</p>
      )}
    </section>
  );
}

function labelOf(name: string, value: string): string {
  if (name === 'op_name') return opLabel(value);
  return name === 'summary.weave.status' ? (STATUS_LABELS[value] ?? value) : value;
}

const conditionOf = (name: string, value: string): Expr =>
  name === 'model' ? usesModel(value) : { $eq: [field(name), literal(value)] };
