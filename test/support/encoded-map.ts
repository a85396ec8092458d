import { ByteWriter, type ByteRange, type EncodedMap } from '@app/clickhouse';

type Scalar = string | number | boolean;

/** Encodes entries as in a row: texts (`s`), numbers (`n`) or booleans (`b`). */
export function encodedMap(
  entries: Iterable<readonly [string, Scalar]>,
  kind: 's' | 'n' | 'b',
): EncodedMap {
  const keys = new ByteWriter();
  const values = new ByteWriter();
  let size = 0;
  for (const [key, value] of entries) {
    size++;
    keys.text(key);
    if (kind === 's') values.text(String(value));
    else if (kind === 'n') values.float64(Number(value));
    else values.uint8(value ? 1 : 0);
  }
  return { size, keys: rangeOf(keys.written()), values: rangeOf(values.written()) };
}

const rangeOf = (bytes: Buffer): ByteRange => ({ bytes, start: 0, end: bytes.length });

/** Decodes what `encodedMap` encodes. */
export function decodedMap(map: EncodedMap, kind: 's' | 'n' | 'b'): Map<string, Scalar> {
  const keys = new Decoder(map.keys);
  const values = new Decoder(map.values);
  const entries = new Map<string, Scalar>();
  for (let i = 0; i < map.size; i++) {
    const key = keys.text();
    if (kind === 's') entries.set(key, values.text());
    else entries.set(key, kind === 'b' ? values.boolean() : values.number());
  }
  keys.end();
  values.end();
  return entries;
}

class Decoder {
  private at = 0;
  private readonly bytes: Buffer;

  constructor({ bytes, start, end }: ByteRange) {
    this.bytes = bytes.subarray(start, end);
  }

  text(): string {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++]!;
      length += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }

  boolean(): boolean {
    return this.bytes[this.at++] === 1;
  }

  number(): number {
    this.at += 8;
    return this.bytes.readDoubleLE(this.at - 8);
  }

  end(): void {
    const left = this.bytes.length - this.at;
    if (left !== 0) throw new Error(`${left} bytes are left of a map.`);
  }
}
