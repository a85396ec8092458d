import { Injectable } from '@nestjs/common';
import { Blobs } from '@app/blobs';
import { bind, sql, Store } from '@app/clickhouse';
import { ErasureError } from './erasure-error.js';

/** Files whose bytes are in a bucket. They are found by listing the bucket, because an interrupted upload has no row. */
@Injectable()
export class BucketFiles {
  constructor(
    private readonly blobs: Blobs,
    private readonly store: Store,
  ) {}

  /** Rejects when files of the project are in a bucket, but none is configured here. */
  async requireConfigured(projectId: string): Promise<void> {
    if (this.blobs.isConfigured) return;
    const [row] = await this.store.rows<{ n: number | string }>(
      sql`SELECT uniqExact(digest) AS n FROM files WHERE project_id = ${bind('String', projectId)} AND size_bytes > 0 AND empty(bytes)`,
    );
    const count = Number(row?.n ?? 0);
    if (count === 0) return;
    throw new ErasureError(
      `${count} files of ${projectId} are in a bucket; set FILES_S3_BUCKET to the value that ingest uses, then run the command again.`,
    );
  }

  /** Deletes the files with these digests, or all; resolves to their number. */
  async remove(projectId: string, among: readonly string[] | 'all'): Promise<number> {
    const digests = await this.find(projectId, among);
    if (digests.length > 0) await this.blobs.remove(projectId, digests);
    return digests.length;
  }

  async count(projectId: string, among: readonly string[] | 'all'): Promise<number> {
    return (await this.find(projectId, among)).length;
  }

  private async find(projectId: string, among: readonly string[] | 'all'): Promise<string[]> {
    if (!this.blobs.isConfigured || among.length === 0) return [];
    const wanted = new Set(among === 'all' ? [] : among);
    const found: string[] = [];
    for await (const digest of this.blobs.digests(projectId)) {
      if (among === 'all' || wanted.has(digest)) found.push(digest);
    }
    return found;
  }
}
