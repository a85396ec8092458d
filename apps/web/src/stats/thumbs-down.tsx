import { useQuery } from '@tanstack/react-query';
import { post } from '../api/client.js';
import type { Feedback } from '../api/types.js';
import { CallLink } from '../evaluations/figures.js';
import { formatAge } from '../format.js';
import { Problem, useNow } from '../ui/parts.js';
import css from '../ui/board.module.css';

const SHOWN = 50;
const NOTES_MAX = 500;

interface Given extends Feedback {
  readonly weave_ref: string;
}

const field = ($getField: string) => ({ $getField });
const is = (name: string, value: string) => ({ $eq: [field(name), { $literal: value }] });

async function readFeedback(
  projectId: string,
  expr: object,
  limit: number,
  signal: AbortSignal,
): Promise<readonly Given[]> {
  const { result } = await post<{ result: readonly Given[] }>(
    '/feedback/query',
    {
      project_id: projectId,
      query: { $expr: expr },
      sort_by: [{ field: 'created_at', direction: 'desc' }],
      limit,
    },
    signal,
  );
  return result;
}

/** The newest thumbs down, with the notes on the same calls. */
async function readThumbsDown(projectId: string, signal: AbortSignal) {
  const isDown = {
    $and: [is('feedback_type', 'wandb.reaction.1'), is('payload.emoji', '👎')],
  };
  const down = await readFeedback(projectId, isDown, SHOWN, signal);
  if (down.length === 0) return [];
  const refs = [...new Set(down.map(({ weave_ref }) => weave_ref))];
  const literals = refs.map(($literal) => ({ $literal }));
  const isNote = {
    $and: [is('feedback_type', 'wandb.note.1'), { $in: [field('weave_ref'), literals] }],
  };
  const notes = await readFeedback(projectId, isNote, NOTES_MAX, signal);
  return down.map((given) => ({
    given,
    notes: notes.filter(({ weave_ref }) => weave_ref === given.weave_ref),
  }));
}

/** Who was not content, with which call, and why. */
export function ThumbsDown({ projectId }: { readonly projectId: string }) {
  const now = useNow(60_000);
  const { data, error } = useQuery({
    queryKey: ['thumbs down', projectId],
    queryFn: ({ signal }) => readThumbsDown(projectId, signal),
  });
  if (error !== null) return <Problem error={error} />;
  if (data === undefined || data.length === 0) return null;
  return (
    <section className={css.section} aria-labelledby="thumbs-down">
      <h2 id="thumbs-down">Thumbs down</h2>
      <div className={css.scroll} role="region" aria-label="Thumbs down" tabIndex={0}>
        <table className={css.table}>
          <thead>
            <tr>
              {['Call', 'User', 'When', 'Why'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.map(({ given, notes }) => {
              const callId = given.weave_ref.split('/').at(-1) ?? '';
              return (
                <tr key={given.id}>
                  <th scope="row">
                    <CallLink projectId={projectId} callId={callId}>
                      {callId.slice(0, 13)}
                    </CallLink>
                  </th>
                  <td>{given.wb_user_id}</td>
                  <td>{formatAge(given.created_at, now)}</td>
                  <td className={css.wide}>
                    {notes.length === 0
                      ? 'no note'
                      : notes.map(({ payload }) => String(payload['note'])).join('; ')}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
