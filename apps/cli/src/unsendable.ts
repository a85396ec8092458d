import type { StoredDeadLetter } from './dead-letters.reader.js';

/** Why a letter cannot be sent in again as it is, and what to do instead; nothing when it can. */
export function unsendable(
  { kind }: Pick<StoredDeadLetter, 'kind'>,
  item: string,
): string | undefined {
  if (item === '') return 'nothing was kept of it; drop it, or give its --item';
  if (kind !== 'rejected') return undefined;
  const record = recordIn(item);
  if (record !== undefined)
    return `it is a fact about records (${record}), whose writer was told that it failed; write it again, and drop this one`;
  return isJson(item) ? undefined : 'what was kept of it is not JSON; drop it, or give its --item';
}

/** A record stands in its letter as a line that says what it is, and its bytes after that. */
function recordIn(item: string): string | undefined {
  const end = item.indexOf('\n');
  if (end < 0) return undefined;
  const head = parsed(item.slice(0, end)) as { type?: unknown; data?: unknown } | undefined;
  const isRecord = typeof head?.type === 'string' && typeof head.data === 'object';
  return isRecord ? (head.type as string) : undefined;
}

const isJson = (text: string) => parsed(text) !== undefined;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // JSON has no such value, so nothing can be mistaken for it
  }
}
