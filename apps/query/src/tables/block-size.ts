/** Rows of the first question: a page that people look at is one question. */
const FIRST = 1000;
const LEAST = 50;
const MOST = 32_768;
/** What one question is to bring. Rows stand all over the store, so few large questions are cheaper than many. */
const BYTES = 8 * 1024 * 1024;

/** How many rows to ask for next, given how large the last ones were. */
export class BlockSize {
  rows = FIRST;

  /** Grows at most fourfold at a time: the next rows may be larger than the last. */
  learn(rows: number, bytes: number): void {
    const fitting = Math.floor((rows * BYTES) / Math.max(bytes, 1));
    this.rows = Math.min(MOST, Math.max(LEAST, Math.min(fitting, this.rows * 4)));
  }
}
