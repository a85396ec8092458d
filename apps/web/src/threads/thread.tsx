import { useMemo, useRef } from 'react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { CallPreview } from '../api/types.js';
import { quoted } from '@app/query-language/text';
import { CallLink } from '../evaluations/figures.js';
import { formatCount, formatDuration, formatMoney, formatTime, opLabel } from '../format.js';
import { useTail } from '../traces/use-tail.js';
import { Empty, Problem, StatusBadge, useNow, useTitle } from '../ui/parts.js';
import { pageIn, useAddress } from '../ui/use-address.js';
import board from '../ui/board.module.css';
import { callsOfThread, TURNS_PER_PAGE, turnsKey, turnsQuery } from './threads-api.js';
import { turnTexts } from './turn-text.js';
import css from './thread.module.css';

/** A busy thread changes more often than it can be read. */
const REFRESH_MS = 500;

/** A conversation turn by turn, with what each turn cost. It follows the conversation while it goes on. */
export function Thread() {
  const { entity = '', project = '', id = '' } = useParams({ strict: false });
  const projectId = `${entity}/${project}`;
  useTitle(`Thread ${id}`);
  const [{ page: pageText }, change] = useAddress();
  const page = pageIn(pageText);
  const { data, error, refetch } = useQuery({
    ...turnsQuery(projectId, id, page),
    placeholderData: keepPreviousData,
  });
  const isLive = useFollowed(projectId, id);
  const turns = data?.slice(0, TURNS_PER_PAGE) ?? [];
  return (
    <main id="main" className={board.screen}>
      <div className={board.head}>
        <h1>Thread {id}</h1>
        <span className={board.muted}>{isLive ? 'live' : 'not live'}</span>
        <Link
          to="/$entity/$project/weave/traces"
          params={{ entity, project }}
          search={{ q: `thread = ${quoted(id)}`, calls: 'all' }}
        >
          All calls of this thread
        </Link>
        <Link to="/$entity/$project/weave/threads" params={{ entity, project }}>
          All threads
        </Link>
      </div>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Empty>Loading…</Empty>}
      {data?.length === 0 && <Empty>This thread has no turns.</Empty>}
      {turns.length > 0 && (
        <>
          <Totals turns={turns} isWhole={page === 0 && data!.length <= TURNS_PER_PAGE} />
          <ol className={css.turns} start={page * TURNS_PER_PAGE + 1}>
            {turns.map((turn, n) => (
              <Turn
                key={turn.id}
                projectId={projectId}
                turn={turn}
                place={page * TURNS_PER_PAGE + n + 1}
              />
            ))}
          </ol>
          {(page > 0 || data!.length > TURNS_PER_PAGE) && (
            <div className={board.actions}>
              <button
                type="button"
                disabled={page === 0}
                onClick={() => change({ page: String(page - 1) })}
              >
                Earlier turns
              </button>
              <button
                type="button"
                disabled={data!.length <= TURNS_PER_PAGE}
                onClick={() => change({ page: String(page + 1) })}
              >
                Later turns
              </button>
            </div>
          )}
        </>
      )}
    </main>
  );
}

/** Reads the turns again when a call of the thread changes. */
function useFollowed(projectId: string, threadId: string): boolean {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const condition = useMemo(() => callsOfThread(projectId, threadId), [projectId, threadId]);
  const state = useTail(condition, () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: turnsKey(projectId, threadId) });
    }, REFRESH_MS);
  });
  return state === 'live';
}

interface TotalsProps {
  readonly turns: readonly CallPreview[];
  readonly isWhole: boolean;
}

function Totals({ turns, isWhole }: TotalsProps) {
  const costs = turns.flatMap(({ cost }) => cost ?? []);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const parts = [
    `${formatCount(turns.length)} turns${isWhole ? '' : ' on this page'}`,
    `${formatCount(sum(turns.map(({ tokens }) => tokens)))} tokens`,
    costs.length === 0 ? 'no price' : formatMoney(sum(costs)),
    `${formatDuration(sum(turns.flatMap(({ latency_ms }) => latency_ms ?? [])))} in all`,
  ];
  return <p role="status">{parts.join(' · ')}</p>;
}

interface TurnProps {
  readonly projectId: string;
  readonly turn: CallPreview;
  readonly place: number;
}

function Turn({ projectId, turn, place }: TurnProps) {
  const now = useNow(10_000);
  const { input, reply } = useMemo(
    () => turnTexts(turn.inputs.text, turn.output.text),
    [turn.inputs.text, turn.output.text],
  );
  const name = turn.display_name ?? opLabel(turn.op_name);
  return (
    <li aria-label={`Turn ${place}`}>
      <div className={css.facts}>
        <CallLink projectId={projectId} callId={turn.id}>
          {name}
        </CallLink>
        <StatusBadge status={turn.status} />
        <span>{formatTime(turn.started_at, now)}</span>
        <span>{turn.latency_ms === null ? 'running' : formatDuration(turn.latency_ms)}</span>
        <span>{formatCount(turn.tokens)} tokens</span>
        <span>{turn.cost === null ? 'no price' : formatMoney(turn.cost)}</span>
        {turn.wb_user_id !== null && <span>{turn.wb_user_id}</span>}
      </div>
      <p className={css.input}>{input}</p>
      {reply !== '' && <p className={css.reply}>{reply}</p>}
      {turn.exception !== null && <p className={board.bad}>{turn.exception}</p>}
    </li>
  );
}
