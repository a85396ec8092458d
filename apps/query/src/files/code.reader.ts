import { Injectable } from '@nestjs/common';
import { bind, sql } from '@app/clickhouse';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { FilesReader } from './files.reader.js';

/** Larger files are not code. Such a file has one piece. */
const CODE_MAX_BYTES = 1024 * 1024;
/** Bounds the memory that one statement needs. */
const FILES_AT_ONCE = 50;

interface CodeRow {
  readonly digest: string;
  readonly size: number | string;
  readonly bytes: string;
}

/** Reads files that hold code. */
@Injectable()
export class CodeReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly files: FilesReader,
  ) {}

  /** The texts of the files by digest. Files that do not exist or are too large are absent. */
  async texts(
    projectId: string,
    digests: readonly string[],
    context: ReadContext,
  ): Promise<ReadonlyMap<string, string>> {
    const distinct = [...new Set(digests)];
    const texts = new Map<string, string>();
    for (let from = 0; from < distinct.length; from += FILES_AT_ONCE) {
      const part = distinct.slice(from, from + FILES_AT_ONCE);
      for (const row of await this.rows(projectId, part, context))
        texts.set(row.digest, await this.textOf(projectId, row, context));
    }
    return texts;
  }

  private rows(
    projectId: string,
    digests: readonly string[],
    context: ReadContext,
  ): Promise<CodeRow[]> {
    return this.executor.rows<CodeRow>(
      sql`SELECT digest, any(size_bytes) AS size, any(files.bytes) AS bytes FROM files
WHERE project_id = ${bind('String', projectId)} AND digest IN ${bind('Array(String)', digests)}
  AND chunk_count = 1 AND size_bytes <= ${bind('UInt64', CODE_MAX_BYTES)}
GROUP BY digest`,
      context,
    );
  }

  /** A piece without bytes has them in the bucket. */
  private async textOf(projectId: string, row: CodeRow, context: ReadContext): Promise<string> {
    const size = Number(row.size);
    if (row.bytes !== '' || size === 0) return row.bytes;
    const pieces: Buffer[] = [];
    const file = { projectId, digest: row.digest, size, pieceSize: size };
    for await (const piece of this.files.bytes(file, { start: 0, end: size }, context))
      pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
  }
}
