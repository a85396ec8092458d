import { TableDigestBuilder } from '@app/digests';
import { InvalidBodyError, ProblemError } from '@app/http';
import { endOfValue, isArrayAt, walkElements } from '@app/wire';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const DELETE = 0x7f;
const DIGEST_MAX_LENGTH = 128;

/** A range of a list of digests, encoded as `encodeDigestList` does. */
interface DigestPart {
  readonly from: number;
  readonly body: Buffer;
}

export interface DigestList {
  /** Of a table with these rows. */
  readonly digest: string;
  readonly count: number;
  readonly parts: readonly DigestPart[];
}

/**
 * Reads a JSON list of row digests, of which a request may have millions. The bytes are copied from list to parts: as strings they
 * would need several times the memory of the request.
 */
export function digestList(json: Buffer, partMaxBytes: number): DigestList {
  if (!isArrayAt(json, 0)) throw notStrings();
  const digest = new TableDigestBuilder();
  const parts: DigestPart[] = [];
  let part = Buffer.allocUnsafe(0);
  let length = 0;
  let from = 0;
  let count = 0;
  const finish = () => {
    parts.push({ from, body: part.subarray(0, length) });
    from = count;
    length = 0;
  };
  walkElements(json, 0, (start) => {
    const end = endOfValue(json, start);
    const bytes = digestBytes(json, start, end, count);
    if (count > from && length + bytes.length + 1 > partMaxBytes) finish();
    if (count === from)
      part = Buffer.allocUnsafe(Math.max(bytes.length, Math.min(partMaxBytes, json.length)));
    else part[length++] = NEWLINE;
    length += bytes.copy(part, length);
    digest.addBytes(bytes);
    count++;
    return end;
  });
  finish();
  return { digest: digest.digest(), count, parts };
}

/** The digest at `start`, without its quotes. */
function digestBytes(json: Buffer, start: number, end: number, index: number): Buffer {
  if (json[start] !== QUOTE) throw notStrings();
  const isPlain = end - start - 2 <= DIGEST_MAX_LENGTH && isPlainText(json, start + 1, end - 1);
  if (isPlain && end - start > 2) return json.subarray(start + 1, end - 1);
  const text = JSON.parse(json.toString('utf8', start, end)) as string;
  if (/^\S{1,128}$/.test(text)) return Buffer.from(text);
  throw new ProblemError('invalid_request', `row_digests[${index}] is not a digest.`);
}

/** Whether the bytes are printable ASCII without spaces and escapes. */
function isPlainText(json: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = json[at]!;
    if (byte <= SPACE || byte >= DELETE || byte === BACKSLASH) return false;
  }
  return true;
}

const notStrings = () =>
  new InvalidBodyError([
    { loc: ['body', 'row_digests'], msg: 'must be a list of strings', type: 'list_type' },
  ]);
