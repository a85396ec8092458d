import { allOf, type Expr, printFilter } from '@app/query-language/text';
import { useState } from 'react';
import { Modal } from '../ui/modal.js';
import { partsOf } from './toggle-condition.js';
import { filterOf } from './traces-query.js';
import css from './chips.module.css';

interface ChipsProps {
  readonly filter: string | undefined;
  readonly onChange: (q: string) => void;
}

/** The conditions of the filter, each of which can be negated or removed, and the filter as an expression of the API. */
export function Chips({ filter, onChange }: ChipsProps) {
  const [isJson, setIsJson] = useState(false);
  const { expr } = filterOf(filter);
  const parts = partsOf(expr);
  const replace = (index: number, part: Expr | undefined) => {
    const changed = allOf(parts.map((one, i) => (i === index ? part : one)));
    onChange(changed === undefined ? '' : printFilter(changed));
  };
  return (
    <div className={css.chips}>
      {parts.length > 0 && (
        <ul aria-label="Conditions" className={css.list}>
          {parts.map((part, index) => {
            const text = printFilter(part);
            const isJsonOnly = text.startsWith('{');
            return (
              // Two equal conditions differ only in their place.
              <li key={`${index} ${text}`} className={css.chip}>
                {isJsonOnly ? (
                  <span title={text} className={css.text}>
                    {'{…}'}
                  </span>
                ) : (
                  <button
                    type="button"
                    className={css.text}
                    title={text}
                    aria-label={`Negate ${text}`}
                    onClick={() => replace(index, negated(part))}
                  >
                    {text}
                  </button>
                )}
                <button
                  type="button"
                  className={css.remove}
                  aria-label={`Remove ${isJsonOnly ? 'the condition in JSON' : text}`}
                  onClick={() => replace(index, undefined)}
                >
                  ×
                </button>
              </li>
            );
          })}
        </ul>
      )}
      <button type="button" className={css.json} onClick={() => setIsJson(true)}>
        Filter as JSON
      </button>
      {isJson && <JsonFilter expr={expr} onClose={() => setIsJson(false)} onChange={onChange} />}
    </div>
  );
}

function negated(expr: Expr): Expr {
  const inner = expr['$not'];
  const isNot = Object.keys(expr).length === 1 && Array.isArray(inner) && inner.length === 1;
  return isNot ? (inner[0] as Expr) : { $not: [expr] };
}

interface JsonFilterProps {
  readonly expr: Expr | undefined;
  readonly onClose: () => void;
  readonly onChange: (q: string) => void;
}

function JsonFilter({ expr, onClose, onChange }: JsonFilterProps) {
  const [text, setText] = useState(() => JSON.stringify({ $expr: expr ?? { $and: [] } }, null, 2));
  const [problem, setProblem] = useState<string | undefined>();
  const apply = () => {
    try {
      const value = JSON.parse(text) as { readonly $expr?: Expr };
      const given = value.$expr ?? value;
      const isNone = JSON.stringify(given) === '{"$and":[]}';
      onChange(isNone ? '' : printFilter(given));
      onClose();
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <Modal label="Filter as JSON" onClose={onClose} className={css.dialog}>
      <h2>Filter as JSON</h2>
      <p>
        The <code>query</code> of the API. What has no form as text stays as it is.
      </p>
      <textarea
        aria-label="Expression"
        rows={14}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {problem !== undefined && <p role="alert">{problem}</p>}
      <div className={css.foot}>
        <button type="button" onClick={apply}>
          Apply
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Modal>
  );
}
