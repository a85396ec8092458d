import { DatasetCreateRecord } from '@app/contracts';
import { readInThread } from '@app/http';
import { recordOf } from '../record-body.js';
import type { RecordContext } from '../record-facts.js';
import { newTable, type NewTable } from '../tables/read-table.js';
import { rowsIn } from '../tables/table-facts.js';

/** A dataset to publish, with the table of its rows. */
export interface NewDataset {
  readonly record: Pick<DatasetCreateRecord, 'name' | 'description'>;
  readonly table: NewTable;
}

/** The dataset of a request, or a ProblemError. */
export function readDataset(body: Buffer, context: RecordContext): NewDataset {
  const { name, description, rows } = recordOf(DatasetCreateRecord, body, ['rows']);
  const found = rowsIn(rows.bytes);
  const digests = found.map(({ digest }) => digest);
  return {
    record: { name: name ?? null, description: description ?? null },
    table: newTable(digests, found, undefined, context),
  };
}

/** A large body is read in a thread. */
export const readDatasetOf = readInThread(import.meta.url, 'readDataset', readDataset);
