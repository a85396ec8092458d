/** A stretch of JSON text, as bytes. */
export class JsonText {
  constructor(readonly bytes: Buffer) {}

  get isObject(): boolean {
    return this.bytes[0] === 0x7b;
  }

  get isNull(): boolean {
    return this.bytes.length === 4 && this.bytes[0] === 0x6e;
  }

  toString(): string {
    return this.bytes.toString('utf8');
  }
}
