import type { DeadLetterCheckRequest, DeadLetterEdit } from '@app/contracts';
import { ProblemError } from '@app/http';

type Correction = Pick<DeadLetterCheckRequest, 'item' | 'edits'>;

export const isCorrection = ({ item, edits }: Correction): boolean =>
  typeof item === 'string' || Array.isArray(edits);

/** The item to ingest: the one that was sent, with what the request corrects of it. */
export async function correctedItem(
  { item, edits }: Correction,
  original: () => Promise<Buffer>,
): Promise<Buffer> {
  if (typeof item !== 'string') return withEdits(await original(), edits ?? []);
  if (!edits) return Buffer.from(item);
  throw new ProblemError('invalid_request', 'Give a corrected item or edits, not both.');
}

/** Throws unless the edits are in order, apart from each other, and within the item. */
export function withEdits(item: Buffer, edits: readonly DeadLetterEdit[]): Buffer {
  let end = 0;
  const pieces = edits.flatMap(({ offset, length, text }, index) => {
    if (offset < end)
      throw new ProblemError(
        'invalid_request',
        `edits.${index} begins before the one before ends.`,
      );
    if (offset + length > item.length)
      throw new ProblemError(
        'invalid_request',
        `edits.${index} ends after the item, which has ${item.length} bytes.`,
      );
    const kept = item.subarray(end, offset);
    end = offset + length;
    return [kept, Buffer.from(text)];
  });
  return pieces.length === 0 ? item : Buffer.concat([...pieces, item.subarray(end)]);
}
