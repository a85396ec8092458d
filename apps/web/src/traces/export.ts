import { send } from '../api/client.js';
import type { Column } from './column-list.js';

export type ExportFormat = 'csv' | 'jsonl' | 'parquet';

/** The rows of the list, all of them, with its columns in its order. */
export function exportRequest(request: object, columns: readonly Column[], format: ExportFormat) {
  const fields = columns.flatMap(({ exported, field }) => exported ?? field ?? []);
  return { ...request, columns: ['id', ...fields.filter((field) => field !== 'id')], format };
}

export async function readFile(request: object): Promise<Blob> {
  const response = await send('/calls/export', { body: request });
  return response.blob();
}
