/** Of one object. Looking through so few is faster than a Set. */
const LISTED_KEYS_MAX = 16;

/** The keys of an object and of the objects around it, by hash. Equal hashes count as equal keys. */
export class SeenKeys {
  private hashes = new Int32Array(256);
  private length = 0;
  /** The keys of an object after the first ones, by where its keys begin. */
  private readonly more = new Map<number, Set<number>>();

  clear(): void {
    this.length = 0;
    this.more.clear();
  }

  /** Begins an object. The result is where its keys begin. */
  begin(): number {
    return this.length;
  }

  /** Returns false when the key was added before. */
  add(first: number, keyHash: number): boolean {
    const hash = keyHash | 0;
    for (let i = first; i < this.length; i++) if (this.hashes[i] === hash) return false;
    if (this.length - first === LISTED_KEYS_MAX) return this.addMore(first, hash);
    if (this.length === this.hashes.length) this.hashes = twice(this.hashes);
    this.hashes[this.length++] = hash;
    return true;
  }

  /** Ends the object. */
  end(first: number): void {
    if (this.length - first === LISTED_KEYS_MAX) this.more.delete(first);
    this.length = first;
  }

  private addMore(first: number, hash: number): boolean {
    const more = this.more.get(first) ?? new Set();
    if (more.has(hash)) return false;
    this.more.set(first, more.add(hash));
    return true;
  }
}

function twice(values: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * values.length);
  larger.set(values);
  return larger;
}
