import { useQuery } from '@tanstack/react-query';
import { keysOfPath, nodeOfPath, stringOf } from '../call/json-index.js';
import { payloadQuery, type Member } from '../call/use-call.js';
import { Problem } from '../ui/parts.js';
import css from '../ui/board.module.css';
import type { QueueItem } from './queues-api.js';

const MEMBERS: readonly string[] = ['inputs', 'output', 'attributes', 'summary'];
const SHOWN_CHARACTERS = 20_000;

interface ItemPayloadProps {
  readonly projectId: string;
  readonly item: QueueItem;
}

/** What the queue shows of a call: the fields that were chosen, or inputs and output. */
export function ItemPayload({ projectId, item }: ItemPayloadProps) {
  const known = item.display_fields.filter((path) => MEMBERS.includes(keysOfPath(path)[0] ?? ''));
  const fields = known.length === 0 ? ['inputs', 'output'] : known;
  return (
    <dl className={css.about}>
      {fields.map((path) => (
        <Field key={path} projectId={projectId} callId={item.call_id} path={path} />
      ))}
    </dl>
  );
}

interface FieldProps {
  readonly projectId: string;
  readonly callId: string;
  readonly path: string;
}

function Field({ projectId, callId, path }: FieldProps) {
  const [member = 'inputs', ...keys] = keysOfPath(path);
  const { data, error } = useQuery(payloadQuery(projectId, callId, member as Member));
  return (
    <>
      <dt>{path}</dt>
      <dd>
        {error !== null && <Problem error={error} />}
        {data !== undefined && <pre>{shown(data.text, keys)}</pre>}
      </dd>
    </>
  );
}

/** Texts without their quotes. */
function shown(text: string, keys: readonly string[]): string {
  const node = nodeOfPath(text, keys);
  if (node === undefined) return 'absent';
  if (node.kind === 'string') return stringOf(text, node, SHOWN_CHARACTERS);
  return text.slice(node.start, Math.min(node.end, node.start + SHOWN_CHARACTERS));
}
