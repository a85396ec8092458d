import { Injectable } from '@nestjs/common';
import { Blobs } from '@app/blobs';
import { bind, sql, Store } from '@app/clickhouse';
import { ErasureError } from './erasure-error.js';

/** Files whose bytes are in a bucket. What stands there is asked of the bucket itself: an upload may have left no row. */
@Injectable()
export class BucketFiles {
  constructor(
    private readonly blobs: Blobs,
    private readonly store: Store,
  ) {}

  /** Rejects when files of the project are in a bucket that is not named here, and so could not be taken away. */
  async requireReach(projectId: string): Promise<void> {
    if (this.blobs.isConfigured) return;
    const [row] = await this.store.rows<{ n: number | string }>(
      sql`SELECT uniqExact(digest) AS n FROM files WHERE project_id = ${bind('String', projectId)} AND size_bytes > 0 AND empty(bytes)`,
    );
    const count = Number(row?.n ?? 0);
    if (count === 0) return;
    throw new ErasureError(
      `${count} files of ${projectId} are in a bucket; set FILES_S3_BUCKET as ingest has it, then run it again.`,
    );
  }

  /** Takes those with these digests away, or all; resolves to how many they were. */
  async take(projectId: string, among: readonly string[] | 'all'): Promise<number> {
    const digests = await this.found(projectId, among);
    if (digests.length > 0) await this.blobs.remove(projectId, digests);
    return digests.length;
  }

  async count(projectId: string, among: readonly string[] | 'all'): Promise<number> {
    return (await this.found(projectId, among)).length;
  }

  private async found(projectId: string, among: readonly string[] | 'all'): Promise<string[]> {
    if (!this.blobs.isConfigured || among.length === 0) return [];
    const asked = new Set(among === 'all' ? [] : among);
    const found: string[] = [];
    for await (const digest of this.blobs.digests(projectId)) {
      if (among === 'all' || asked.has(digest)) found.push(digest);
    }
    return found;
  }
}
