import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { formatAge, formatBytes, formatCount } from '../format.js';
import { Empty, Problem, useNow } from '../ui/parts.js';
import { Bulk } from './bulk.js';
import { DeadLetterPanel } from './dead-letter.js';
import {
  deadLettersQuery,
  type DeadLetter,
  type DeadLetterState,
  type Group,
  type ReasonGroup,
} from './dead-letters-api.js';
import board from '../ui/board.module.css';
import css from './operations.module.css';

const STATES: readonly DeadLetterState[] = ['open', 'replayed', 'dropped'];

/** Dead letters by reason, those of the selected reason, and the selected one. */
export function DeadLetters() {
  const search = useSearch({ from: '/-/operations' });
  const navigate = useNavigate({ from: '/-/operations' });
  const state = STATES.find((one) => one === search.state) ?? 'open';
  const { kind, reason, id } = search;
  const group =
    kind === undefined || reason === undefined ? undefined : { kind, reason_group: reason };
  const all = useQuery(deadLettersQuery(state));
  const list = useQuery(deadLettersQuery(state, group));
  const select = (next: typeof search) =>
    void navigate({ search: { tab: 'dead-letters', ...(state !== 'open' && { state }), ...next } });
  const error = all.error ?? list.error;
  const refetch = () => void Promise.all([all.refetch(), list.refetch()]);

  return (
    <div className={css.split}>
      <div className={css.column}>
        <label className={css.field}>
          State
          <select
            value={state}
            onChange={({ target }) =>
              void navigate({ search: { tab: 'dead-letters', state: target.value } })
            }
          >
            {STATES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        {error !== null && <Problem error={error} retry={refetch} />}
        {all.data?.reasons.length === 0 && <Empty>There are no {state} dead letters.</Empty>}
        {all.data !== undefined && all.data.reasons.length > 0 && (
          <Reasons
            reasons={all.data.reasons}
            selected={group}
            onSelect={(one) =>
              select(one === undefined ? {} : { kind: one.kind, reason: one.reason_group })
            }
          />
        )}
        {group !== undefined && state === 'open' && (
          <Bulk key={`${group.kind} ${group.reason_group}`} group={group} />
        )}
        {list.data !== undefined && list.data.dead_letters.length > 0 && (
          <DeadLetterTable
            deadLetters={list.data.dead_letters}
            hasMore={list.data.next !== null}
            selected={id}
            onSelect={(next) =>
              select({ ...(kind && { kind }), ...(reason && { reason }), id: next })
            }
          />
        )}
      </div>
      {id !== undefined && <DeadLetterPanel key={id} id={id} />}
    </div>
  );
}

interface ReasonsProps {
  readonly reasons: readonly ReasonGroup[];
  readonly selected: Group | undefined;
  readonly onSelect: (group: Group | undefined) => void;
}

function Reasons({ reasons, selected, onSelect }: ReasonsProps) {
  return (
    <div className={board.scroll} role="region" aria-label="Reasons" tabIndex={0}>
      <table className={`${board.table} ${css.table}`}>
        <thead>
          <tr>
            <th scope="col" className={css.number}>
              Count
            </th>
            <th scope="col" className={css.number}>
              Size
            </th>
            <th scope="col">Kind</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {reasons.map((one) => {
            const isSelected =
              selected?.kind === one.kind && selected.reason_group === one.reason_group;
            return (
              <tr
                key={`${one.kind} ${one.reason_group}`}
                className={isSelected ? css.selected : ''}
              >
                <td className={css.number}>{formatCount(one.count)}</td>
                <td className={css.number}>{formatBytes(one.bytes)}</td>
                <td>{one.kind}</td>
                <td>
                  <button
                    type="button"
                    className={css.text}
                    aria-pressed={isSelected}
                    onClick={() => onSelect(isSelected ? undefined : one)}
                  >
                    {one.reason_group}
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface TableProps {
  readonly deadLetters: readonly DeadLetter[];
  readonly hasMore: boolean;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}

function DeadLetterTable({ deadLetters, hasMore, selected, onSelect }: TableProps) {
  const now = useNow(30_000);
  return (
    <div className={board.scroll} role="region" aria-label="Dead letters" tabIndex={0}>
      <table className={`${board.table} ${css.table}`}>
        <thead>
          <tr>
            <th scope="col">Dead letter</th>
            <th scope="col">Project</th>
            <th scope="col">User</th>
            <th scope="col">Received</th>
            <th scope="col" className={css.number}>
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {deadLetters.map(({ id, project_id, user, received_at, bytes }) => (
            <tr key={id} className={id === selected ? css.selected : ''}>
              <th scope="row">
                <button
                  type="button"
                  className={css.text}
                  aria-pressed={id === selected}
                  onClick={() => onSelect(id)}
                >
                  <code>{id.slice(0, 12)}</code>
                </button>
              </th>
              <td>{project_id || 'none'}</td>
              <td>{user}</td>
              <td title={received_at}>{formatAge(received_at, now)}</td>
              <td className={css.number}>{formatBytes(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {hasMore && (
        <p className={css.note}>Only the oldest {formatCount(deadLetters.length)} are listed.</p>
      )}
    </div>
  );
}
