/** A range of rows of the base table, or a row that an update added. */
export type Piece = { readonly from: number; readonly to: number } | { readonly digest: string };

interface Block {
  readonly pieces: Piece[];
  rows: number;
}

/** A larger block is split in two, so that the cost of an update depends on blocks rather than on the table. */
const BLOCK_MAX = 512;

const rowsIn = (piece: Piece) => ('digest' in piece ? 1 : piece.to - piece.from);

/**
 * The rows of a table after updates, without reading the table: ranges of the base and the rows added between them.
 * Ranges stay in the order of the base, so one pass over the base makes the new list.
 */
export class EditedRows {
  private readonly blocks: Block[];
  length: number;

  constructor(baseLength: number) {
    const whole = { from: 0, to: baseLength };
    this.blocks = [{ pieces: baseLength > 0 ? [whole] : [], rows: baseLength }];
    this.length = baseLength;
  }

  *pieces(): Generator<Piece> {
    for (const { pieces } of this.blocks) yield* pieces;
  }

  /** The index is between 0 and the number of rows. The largest index appends. */
  insert(index: number, digest: string): void {
    const { block, place, within } = this.at(index);
    const piece = block.pieces[place];
    const cut = piece && within > 0 ? split(piece, within) : undefined;
    if (cut) block.pieces.splice(place, 1, cut[0], { digest }, cut[1]);
    else block.pieces.splice(place, 0, { digest });
    this.resize(block, 1);
  }

  /** Returns the removed row: the digest of an added row, or a position in the base. */
  remove(index: number): string | number {
    const { block, place, within } = this.at(index);
    const piece = block.pieces[place]!;
    this.resize(block, -1);
    if ('digest' in piece) {
      block.pieces.splice(place, 1);
      return piece.digest;
    }
    const position = piece.from + within;
    const left = [
      { from: piece.from, to: position },
      { from: position + 1, to: piece.to },
    ].filter(({ from, to }) => from < to);
    block.pieces.splice(place, 1, ...left);
    return position;
  }

  /** The block and the piece of a row. The end of all rows is after the last piece. */
  private at(index: number): { block: Block; place: number; within: number } {
    let left = index;
    const last = this.blocks.length - 1;
    const at = this.blocks.findIndex(({ rows }, i) => {
      if (left < rows || i === last) return true;
      left -= rows;
      return false;
    });
    const block = this.blocks[at]!;
    if (left === block.rows) return { block, place: block.pieces.length, within: 0 };
    const place = block.pieces.findIndex((piece) => {
      if (left < rowsIn(piece)) return true;
      left -= rowsIn(piece);
      return false;
    });
    return { block, place, within: left };
  }

  private resize(block: Block, by: number): void {
    block.rows += by;
    this.length += by;
    if (block.pieces.length <= BLOCK_MAX) return;
    const pieces = block.pieces.splice(BLOCK_MAX / 2);
    const rows = pieces.reduce((sum, piece) => sum + rowsIn(piece), 0);
    block.rows -= rows;
    this.blocks.splice(this.blocks.indexOf(block) + 1, 0, { pieces, rows });
  }
}

function split(piece: Piece, within: number): [Piece, Piece] | undefined {
  if ('digest' in piece) return undefined;
  const middle = piece.from + within;
  return [
    { from: piece.from, to: middle },
    { from: middle, to: piece.to },
  ];
}

const DIGESTS_PER_YIELD = 16_384;

/** The row digests of the edited table, in order. `base` has those of the base table. */
export async function* editedDigests(
  pieces: Iterable<Piece>,
  base: AsyncGenerator<readonly string[], void>,
): AsyncGenerator<string[], void> {
  let block: readonly string[] = [];
  let start = 0;
  let digests: string[] = [];
  try {
    for (const piece of pieces) {
      if ('digest' in piece) digests.push(piece.digest);
      else
        for (let at = piece.from; at < piece.to; at++) {
          while (at >= start + block.length) {
            const next = await base.next();
            if (next.done) throw new Error(`The base table ends before row ${at}.`);
            start += block.length;
            block = next.value;
          }
          digests.push(block[at - start]!);
          if (digests.length < DIGESTS_PER_YIELD) continue;
          yield digests;
          digests = [];
        }
    }
    if (digests.length > 0) yield digests;
  } finally {
    await base.return();
  }
}
