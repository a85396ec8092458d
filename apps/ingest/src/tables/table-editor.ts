import { Injectable } from '@nestjs/common';
import { TableDigestBuilder } from '@app/digests';
import type { TableRow } from '@app/events';
import { ProblemError } from '@app/http';
import type { IngestContext } from '../objects/object-facts.js';
import { RecordParts } from '../record-parts.js';
import { editedDigests, EditedRows } from './edited-rows.js';
import { longTableFacts, rowFacts, tableParts } from './table-facts.js';
import { applied, type TableUpdate } from './table-updates.js';
import { TablesReader } from './tables.reader.js';

/** A list of digests up to here is held; a longer one is read twice instead, for its digest and for its parts. */
const HELD_ROWS = 20_000;

export interface EditedTable {
  readonly digest: string;
  /** The row that each update was about. */
  readonly touched: string[];
}

/** Makes a table from another. Whatever their size, only the updates are held. */
@Injectable()
export class TableEditor {
  constructor(
    private readonly tables: TablesReader,
    private readonly parts: RecordParts,
  ) {}

  /** Resolves when the new table can be read. */
  async edit(
    base: string,
    updates: readonly TableUpdate[],
    receipt: IngestContext,
  ): Promise<EditedTable> {
    const { projectId } = receipt;
    const count = await this.tables.rowCount(projectId, base);
    if (count === undefined) {
      const reason = `There is no table ${base.slice(0, 80)} in ${projectId}.`;
      throw new ProblemError('table_not_found', reason);
    }
    const rows = new EditedRows(count);
    const touched = applied(rows, updates);
    const positions = touched.filter((row) => typeof row === 'number');
    const digests = await this.tables.digestsAt(projectId, base, positions);
    const added = updates.flatMap((update) => (update.kind === 'pop' ? [] : [update.row]));
    return {
      digest: await this.keep(base, rows, added, receipt),
      touched: touched.map((row) => (typeof row === 'number' ? digests.get(row)! : row)),
    };
  }

  private async keep(
    base: string,
    rows: EditedRows,
    added: readonly TableRow[],
    receipt: IngestContext,
  ): Promise<string> {
    const { projectId } = receipt;
    const list = () => editedDigests(rows.pieces(), this.tables.rowDigests(projectId, base));
    const sum = new TableDigestBuilder();
    const held: string[] = [];
    for await (const some of list()) {
      sum.add(some);
      if (rows.length <= HELD_ROWS) held.push(...some);
    }
    const digest = sum.digest();
    if (await this.tables.isStored(projectId, digest)) return digest;
    if (rows.length <= HELD_ROWS) {
      for (const parts of tableParts(digest, held, added, receipt)) await this.parts.keep(parts);
      return digest;
    }
    await this.parts.keep(oneByOne(rowFacts(added, receipt)));
    await this.parts.keep(longTableFacts(digest, rows.length, list(), receipt));
    return digest;
  }
}

function* oneByOne<Fact>(facts: Iterable<Fact>): Generator<readonly [Fact]> {
  for (const fact of facts) yield [fact];
}
