const DOT = 0x2e;
const BACKSLASH = 0x5c;
const ZERO = 0x30;

/** Where a scan stands inside a payload: `inputs.messages.0.role`, as bytes. */
export class LeafPath {
  bytes = Buffer.allocUnsafe(1024);
  length = 0;
  /** Of what was added last; tells keys of one object apart, most of the time. */
  hash = 0;

  begin(field: string): void {
    this.length = 0;
    this.room(field.length * 3);
    this.length = this.bytes.write(field, 0);
  }

  cutTo(length: number): void {
    this.length = length;
  }

  addIndex(index: number): void {
    this.room(16);
    this.bytes[this.length++] = DOT;
    if (index < 10) this.bytes[this.length++] = ZERO + index;
    else this.length += this.bytes.write(String(index), this.length);
  }

  /** A dot and the key between these places; false when the key has escapes of JSON's own: use `addKey` then. */
  addPlainKey(json: Buffer, start: number, end: number): boolean {
    this.room(2 * (end - start) + 1);
    const { bytes } = this;
    let to = this.length;
    let hash = 0x811c9dc5;
    bytes[to++] = DOT;
    for (let at = start; at < end; at++) {
      const byte = json[at]!;
      if (byte === BACKSLASH) return false;
      if (byte === DOT) bytes[to++] = BACKSLASH;
      bytes[to++] = byte;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    this.hash = hash;
    this.length = to;
    return true;
  }

  /** The same for the text of a key. A dot or a backslash inside it gets a backslash in front. */
  addKey(key: string): void {
    const key8 = Buffer.from(key);
    this.room(2 * key8.length + 1);
    let hash = 0x811c9dc5;
    this.bytes[this.length++] = DOT;
    for (const byte of key8) {
      if (byte === DOT || byte === BACKSLASH) this.bytes[this.length++] = BACKSLASH;
      this.bytes[this.length++] = byte;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    this.hash = hash;
  }

  private room(needed: number): void {
    if (this.length + needed <= this.bytes.length) return;
    const bigger = Buffer.allocUnsafe(2 * (this.length + needed));
    this.bytes.copy(bigger, 0, 0, this.length);
    this.bytes = bigger;
  }
}
