import { Injectable } from '@nestjs/common';
import { TableDigestBuilder } from '@app/digests';
import type { TableRow } from '@app/events';
import { ProblemError } from '@app/http';
import { PartsPublisher } from '../parts.publisher.js';
import type { RecordContext } from '../record-facts.js';
import { editedDigests, EditedRows } from './edited-rows.js';
import { longTableFacts, rowFacts, tableParts } from './table-facts.js';
import { applied, type TableUpdate } from './table-updates.js';
import { TablesReader } from './tables.reader.js';

/** A longer list of digests is not kept in memory but read twice: for the table digest and for the parts. */
const IN_MEMORY_ROWS = 20_000;

export interface EditedTable {
  readonly digest: string;
  /** The digest of the row that each update added or removed. */
  readonly updatedRows: string[];
}

/** Makes a table from another. Only the updates are in memory, whatever the size of the tables. */
@Injectable()
export class TableEditor {
  constructor(
    private readonly tables: TablesReader,
    private readonly parts: PartsPublisher,
  ) {}

  /** Resolves when the new table can be read. */
  async edit(
    base: string,
    updates: readonly TableUpdate[],
    context: RecordContext,
  ): Promise<EditedTable> {
    const { projectId } = context;
    const count = await this.tables.rowCount(projectId, base);
    if (count === undefined) {
      const reason = `There is no table ${base.slice(0, 80)} in ${projectId}.`;
      throw new ProblemError('table_not_found', reason);
    }
    const rows = new EditedRows(count);
    const updated = applied(rows, updates);
    const positions = updated.filter((row) => typeof row === 'number');
    const digests = await this.tables.digestsAt(projectId, base, positions);
    const added = updates.flatMap((update) => (update.kind === 'pop' ? [] : [update.row]));
    return {
      digest: await this.publish(base, rows, added, context),
      updatedRows: updated.map((row) => (typeof row === 'number' ? digests.get(row)! : row)),
    };
  }

  private async publish(
    base: string,
    rows: EditedRows,
    added: readonly TableRow[],
    context: RecordContext,
  ): Promise<string> {
    const { projectId } = context;
    const list = () => editedDigests(rows.pieces(), this.tables.rowDigests(projectId, base));
    const sum = new TableDigestBuilder();
    const digests: string[] = [];
    for await (const block of list()) {
      sum.add(block);
      if (rows.length <= IN_MEMORY_ROWS) digests.push(...block);
    }
    const digest = sum.digest();
    if (await this.tables.isStored(projectId, digest)) return digest;
    if (rows.length <= IN_MEMORY_ROWS) {
      for (const parts of tableParts(digest, digests, added, context))
        await this.parts.publish(parts);
      return digest;
    }
    await this.parts.publish(oneByOne(rowFacts(added, context)));
    await this.parts.publish(longTableFacts(digest, rows.length, list(), context));
    return digest;
  }
}

function* oneByOne<Fact>(facts: Iterable<Fact>): Generator<readonly [Fact]> {
  for (const fact of facts) yield [fact];
}
