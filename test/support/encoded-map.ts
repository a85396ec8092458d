import { ByteWriter, type EncodedMap } from '@app/clickhouse';

type Scalar = string | number | boolean;

/** Encodes entries as in a row: texts (`s`), numbers (`n`) or booleans (`b`). */
export function encodedMap(
  entries: Iterable<readonly [string, Scalar]>,
  kind: 's' | 'n' | 'b',
): EncodedMap {
  const to = new ByteWriter();
  let size = 0;
  for (const [key, value] of entries) {
    size++;
    to.text(key);
    if (kind === 's') to.text(String(value));
    else if (kind === 'n') to.float64(Number(value));
    else to.uint8(value ? 1 : 0);
  }
  return { size, bytes: to.written() };
}

/** Decodes what `encodedMap` encodes. */
export function decodedMap(
  { size, bytes }: EncodedMap,
  kind: 's' | 'n' | 'b',
): Map<string, Scalar> {
  const entries = new Map<string, Scalar>();
  let at = 0;
  const text = () => {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      length += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  for (let i = 0; i < size; i++) {
    const key = text();
    if (kind === 's') entries.set(key, text());
    else if (kind === 'b') entries.set(key, bytes[at++] === 1);
    else entries.set(key, bytes.readDoubleLE((at += 8) - 8));
  }
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes are left of a map.`);
  return entries;
}
