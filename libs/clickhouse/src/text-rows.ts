const CONTINUES = 0x80;
const BITS = 0x7f;

/**
 * Reads rows whose columns are all texts from ClickHouse's RowBinary, piece by piece as they arrive. A text of many
 * megabytes is copied once and never becomes a string.
 */
export class TextRows {
  private row: Buffer[] = [];
  /** Of the text that is being read; undefined between two texts. */
  private text: Buffer | undefined;
  private filled = 0;
  /** Of the length that is being read. */
  private length = 0;
  private factor = 1;

  /** `reserve` is called with the length of every text before it is read, and may throw. */
  constructor(
    private readonly columns: number,
    private readonly reserve: (bytes: number) => void = () => undefined,
  ) {}

  /** The rows that this piece completes. */
  *add(piece: Buffer): Generator<readonly Buffer[]> {
    for (let at = 0; at < piece.length;) {
      at =
        this.text === undefined ? this.readLength(piece, at) : this.readText(this.text, piece, at);
      if (this.text?.length !== this.filled) continue;
      this.row.push(this.text);
      this.text = undefined;
      if (this.row.length < this.columns) continue;
      yield this.row;
      this.row = [];
    }
  }

  /** Throws when the last row is incomplete. */
  end(): void {
    if (this.row.length > 0 || this.text !== undefined || this.factor > 1)
      throw new Error('The response of ClickHouse ended within a row.');
  }

  private readLength(piece: Buffer, at: number): number {
    const byte = piece[at]!;
    this.length += (byte & BITS) * this.factor;
    this.factor *= CONTINUES;
    if ((byte & CONTINUES) === 0) {
      this.reserve(this.length);
      this.text = Buffer.allocUnsafe(this.length);
      this.filled = 0;
      this.length = 0;
      this.factor = 1;
    }
    return at + 1;
  }

  private readText(text: Buffer, piece: Buffer, at: number): number {
    const copied = piece.copy(text, this.filled, at, at + text.length - this.filled);
    this.filled += copied;
    return at + copied;
  }
}
