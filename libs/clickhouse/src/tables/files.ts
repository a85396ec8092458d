import type { Micros } from '@app/wire';
import { asMicros, asText, asUInt32, asUInt64, type Table } from '../columns.js';

/** One chunk of a file. */
export interface FileRow {
  project_id: string;
  digest: string;
  chunk: number;
  chunk_count: number;
  size_bytes: number;
  name: string;
  bytes: Buffer;
  created_at: Micros;
  seq: number;
}

export const FILES: Table<FileRow> = {
  name: 'files',
  columns: {
    project_id: asText,
    digest: asText,
    chunk: asUInt32,
    chunk_count: asUInt32,
    size_bytes: asUInt32,
    name: asText,
    bytes: asText,
    created_at: asMicros,
    seq: asUInt64,
  },
};
