import { send } from '../api/client.js';

export interface Payload {
  /** The exact text that was sent, as far as it was read. */
  readonly text: string;
  readonly bytes: number;
  readonly isWhole: boolean;
}

const FIRST_BYTES = 512 * 1024;
const CHUNK_BYTES = 8 * 1024 * 1024;

/** Reads the first part of a payload, or all of it. */
export async function readPayload(
  request: object,
  isWhole: boolean,
  signal?: AbortSignal,
  onProgress: (bytes: number, total: number) => void = () => undefined,
): Promise<Payload> {
  const decoder = new TextDecoder();
  const length = isWhole ? CHUNK_BYTES : FIRST_BYTES;
  let text = '';
  let offset = 0;
  let total = Infinity;
  while (offset < total && (offset === 0 || isWhole)) {
    const response = await send('/call/payload', { body: { ...request, offset, length }, signal });
    const bytes = await response.arrayBuffer();
    if (bytes.byteLength === 0) break;
    offset += bytes.byteLength;
    total = Number(response.headers.get('x-heddle-total-bytes') ?? offset);
    text += decoder.decode(bytes, { stream: offset < total });
    onProgress(offset, total);
  }
  return { text, bytes: Math.max(total, offset), isWhole: offset >= total };
}
