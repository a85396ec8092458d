/** Bytes that are not the message they should be. */
export class ProtobufError extends Error {}

/** A varint, or the bytes of anything else: a text, a message, a number of fixed width. */
export type FieldValue = bigint | Buffer;

/** More fields than an honest message has; each costs many times its bytes when it is taken apart. */
const MAX_FIELDS = 1_000_000;
const MAX_DEPTH = 200;

/** Reads protobuf messages; one reader for all messages of a body, so that it can count. */
export class ProtobufReader {
  private fields = 0;
  private depth = 0;

  /** Visits the fields of a message in the order in which they stand. */
  walk(message: FieldValue, visit: (field: number, value: FieldValue) => void): void {
    const bytes = bytesOf(message);
    if (++this.depth > MAX_DEPTH) throw new ProtobufError('it is nested too deeply');
    for (let at = 0; at < bytes.length;) {
      if (++this.fields > MAX_FIELDS) throw new ProtobufError('it has too many fields');
      const tag = varintAt(bytes, at);
      const { value, end } = valueAt(bytes, tag.end, Number(tag.value & 7n));
      visit(Number(tag.value >> 3n), value);
      at = end;
    }
    this.depth--;
  }
}

export function bytesOf(value: FieldValue): Buffer {
  if (typeof value === 'bigint') throw new ProtobufError('a number stands where bytes are wanted');
  return value;
}

export const textOf = (value: FieldValue): string => bytesOf(value).toString('utf8');

/** A number without a sign, of any width. */
export function uintOf(value: FieldValue): bigint {
  if (typeof value === 'bigint') return value;
  if (value.length === 8) return value.readBigUInt64LE();
  if (value.length === 4) return BigInt(value.readUInt32LE());
  throw new ProtobufError('bytes stand where a number is wanted');
}

export const int64Of = (value: FieldValue): bigint => BigInt.asIntN(64, uintOf(value));

export function doubleOf(value: FieldValue): number {
  const bytes = bytesOf(value);
  if (bytes.length !== 8) throw new ProtobufError('a double has eight bytes');
  return bytes.readDoubleLE();
}

interface Read<T> {
  readonly value: T;
  readonly end: number;
}

function valueAt(bytes: Buffer, at: number, wireType: number): Read<FieldValue> {
  if (wireType === 0) return varintAt(bytes, at);
  if (wireType === 1) return pieceAt(bytes, at, 8);
  if (wireType === 5) return pieceAt(bytes, at, 4);
  if (wireType !== 2) throw new ProtobufError(`wire type ${wireType} is not known`);
  const { value, end } = varintAt(bytes, at);
  return pieceAt(bytes, end, Number(value));
}

function pieceAt(bytes: Buffer, at: number, length: number): Read<Buffer> {
  const end = at + length;
  if (end > bytes.length) throw new ProtobufError('it ends in the middle of a field');
  return { value: bytes.subarray(at, end), end };
}

function varintAt(bytes: Buffer, at: number): Read<bigint> {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = bytes[at++];
    if (byte === undefined) throw new ProtobufError('it ends in the middle of a number');
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: at };
  }
  throw new ProtobufError('a number is longer than ten bytes');
}

/** Writes the fields of a message, for the few that we send. */
export function protobufField(field: number, value: number | string | Buffer): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(field << 3), varint(value)]);
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
