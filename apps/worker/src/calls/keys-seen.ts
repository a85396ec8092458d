const FEW = 16;

/** The keys of one object by their hash; equal hashes are taken for equal keys. Most objects have few. */
export class KeysSeen {
  private readonly few: number[] = [];
  private many: Set<number> | undefined;

  /** Whether it was there before; it is now. */
  has(hash: number): boolean {
    if (this.many === undefined) {
      if (this.few.includes(hash)) return true;
      if (this.few.push(hash) > FEW) this.many = new Set(this.few);
      return false;
    }
    if (this.many.has(hash)) return true;
    this.many.add(hash);
    return false;
  }
}
