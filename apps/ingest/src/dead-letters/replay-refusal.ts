import type { StoredDeadLetter } from './dead-letters.reader.js';

/** The reason why a dead letter cannot be replayed, with the next step; undefined when it can. */
export function replayRefusal(
  { kind }: Pick<StoredDeadLetter, 'kind'>,
  item: string,
): string | undefined {
  if (item === '') return 'its item is lost; drop it, or give a corrected item';
  const record = kind === 'rejected' ? recordIn(item) : undefined;
  if (record !== undefined)
    return `it is a fact about records (${record}), and its request failed; send the request again, and drop this one`;
  const value = parsed(item);
  if (value === undefined) return 'its item is not JSON; drop it, or give a corrected item';
  if (kind === 'rename' && typeof (value as { display_name?: unknown })?.display_name !== 'string')
    return 'its item has no display_name; drop it, or give a corrected item';
  return undefined;
}

/** The type of a record: its item is a line of JSON with the type, followed by its bytes. */
function recordIn(item: string): string | undefined {
  const end = item.indexOf('\n');
  if (end < 0) return undefined;
  const head = parsed(item.slice(0, end)) as { type?: unknown; data?: unknown } | undefined;
  const isRecord = typeof head?.type === 'string' && typeof head.data === 'object';
  return isRecord ? (head.type as string) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // JSON has no undefined, so callers cannot mistake it for a value.
  }
}
