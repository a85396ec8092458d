import { Injectable } from '@nestjs/common';
import { Blobs } from '@app/blobs';
import { bind, sql } from '@app/clickhouse';
import { ProblemError } from '@app/http';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import type { ByteRange } from './byte-range.js';

interface PiecesRow {
  readonly expected: number;
  readonly present: number | string;
  readonly bytes: number | string;
  readonly piece: number | string;
}

export interface StoredFile {
  readonly projectId: string;
  readonly digest: string;
  readonly size: number;
  /** Bytes of every piece but the last. */
  readonly pieceSize: number;
}

@Injectable()
export class FilesReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly blobs: Blobs,
  ) {}

  /** Throws ProblemError unless all pieces of the file are stored. */
  async find(projectId: string, digest: string, context: ReadContext): Promise<StoredFile> {
    const [row] = await this.executor.rows<PiecesRow>(
      sql`SELECT max(chunk_count) AS expected, count() AS present, sum(size) AS bytes, maxIf(size, chunk = 0) AS piece
FROM (
  SELECT chunk, any(files.chunk_count) AS chunk_count, any(size_bytes) AS size FROM files
  WHERE project_id = ${bind('String', projectId)} AND digest = ${bind('String', digest)} GROUP BY chunk
)`,
      context,
    );
    if (row === undefined || row.expected === 0 || row.expected !== Number(row.present)) {
      const reason = `There is no file ${digest.slice(0, 80)} in ${projectId}.`;
      throw new ProblemError('file_not_found', reason);
    }
    return { projectId, digest, size: Number(row.bytes), pieceSize: Number(row.piece) };
  }

  /** The bytes of a range, piece by piece: only one piece is in memory at a time. */
  async *bytes(
    file: StoredFile,
    { start, end }: ByteRange,
    context: ReadContext,
  ): AsyncGenerator<Buffer, void> {
    for (let at = start; at < end;) {
      const chunk = Math.floor(at / file.pieceSize);
      const begin = chunk * file.pieceSize;
      const piece = await this.piece(file, chunk, context);
      const stop = Math.min(end, begin + file.pieceSize);
      // A piece without bytes has them in the bucket.
      if (piece.length > 0) yield piece.subarray(at - begin, stop - begin);
      else
        yield* this.blobs.get(
          file.projectId,
          file.digest,
          { start: at, end: stop },
          context.signal,
        );
      at = stop;
    }
  }

  async totalSize(projectId: string, context: ReadContext): Promise<number> {
    const [row] = await this.executor.rows<{ bytes: number | string }>(
      sql`SELECT sum(size) AS bytes FROM (
  SELECT any(size_bytes) AS size FROM files WHERE project_id = ${bind('String', projectId)} GROUP BY digest, chunk
)`,
      context,
    );
    return Number(row?.bytes ?? 0);
  }

  private piece(
    { projectId, digest }: StoredFile,
    chunk: number,
    context: ReadContext,
  ): Promise<Buffer> {
    return this.executor.bytes(
      sql`SELECT bytes FROM files
WHERE project_id = ${bind('String', projectId)} AND digest = ${bind('String', digest)} AND chunk = ${bind('UInt32', chunk)}
LIMIT 1`,
      context,
    );
  }
}
