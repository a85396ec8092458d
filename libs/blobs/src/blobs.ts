import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type { FactoryProvider } from '@nestjs/common';
import type { FilesConfig } from '@app/config';
import { HeddleError } from '@app/errors';

/** The bucket is unavailable or not configured. */
export class BlobsUnavailableError extends HeddleError {
  readonly code = 'storage_unavailable';
}

const CONCURRENT_DELETES = 16;

/** Files in an S3-compatible bucket. The AWS SDK is loaded on first use. */
export class Blobs {
  private opened: Promise<S3Client> | undefined;

  constructor(private readonly config: FilesConfig) {}

  get isConfigured(): boolean {
    return this.config.bucket !== '';
  }

  /** Resolves when the bucket has stored the whole file. Idempotent. */
  async put(projectId: string, digest: string, body: Readable): Promise<void> {
    try {
      const client = await this.client();
      const { Upload } = await import('@aws-sdk/lib-storage');
      await new Upload({
        client,
        params: { ...this.objectKey(projectId, digest), Body: body },
      }).done();
    } catch (error) {
      throw unavailable(error);
    } finally {
      body.destroy();
    }
  }

  /** Streams the bytes from `start` up to, but not including, `end`. */
  async *get(
    projectId: string,
    digest: string,
    { start, end }: { readonly start: number; readonly end: number },
    signal?: AbortSignal,
  ): AsyncGenerator<Buffer> {
    if (start >= end) return;
    try {
      const client = await this.client();
      const { GetObjectCommand } = await import('@aws-sdk/client-s3');
      const Range = `bytes=${start}-${end - 1}`;
      const command = new GetObjectCommand({ ...this.objectKey(projectId, digest), Range });
      const { Body } = await client.send(command, signal ? { abortSignal: signal } : {});
      for await (const chunk of Body as Readable) yield chunk as Buffer;
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Digests of all files of a project, unordered. */
  async *digests(projectId: string): AsyncGenerator<string> {
    try {
      const client = await this.client();
      const { paginateListObjectsV2 } = await import('@aws-sdk/client-s3');
      const { Bucket, Key: Prefix } = this.objectKey(projectId, '');
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
        for (const { Key } of Contents) yield decodeURIComponent(Key!.slice(Prefix.length));
      }
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Resolves when the bucket has deleted the files. Idempotent. */
  async remove(projectId: string, digests: readonly string[]): Promise<void> {
    try {
      const client = await this.client();
      const { DeleteObjectCommand } = await import('@aws-sdk/client-s3');
      // One request per file: not every S3-compatible server supports the checksums that DeleteObjects requires.
      for (let at = 0; at < digests.length; at += CONCURRENT_DELETES) {
        const some = digests.slice(at, at + CONCURRENT_DELETES);
        const commands = some.map(
          (digest) => new DeleteObjectCommand(this.objectKey(projectId, digest)),
        );
        await Promise.all(commands.map((command) => client.send(command)));
      }
    } catch (error) {
      throw unavailable(error);
    }
  }

  async close(): Promise<void> {
    (await this.opened)?.destroy();
  }

  private objectKey(projectId: string, digest: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.config;
    const key = [...projectId.split('/'), digest].map(encodeURIComponent).join('/');
    return { Bucket: bucket, Key: prefix === '' ? key : `${prefix}/${key}` };
  }

  private async client(): Promise<S3Client> {
    if (!this.isConfigured) throw new BlobsUnavailableError('FILES_S3_BUCKET is not set.');
    return (this.opened ??= this.open());
  }

  /** Not every S3-compatible server supports checksums that S3 itself does not require. */
  private async open(): Promise<S3Client> {
    const { S3Client } = await import('@aws-sdk/client-s3');
    const { url, region, keyId, secret } = this.config;
    return new S3Client({
      region,
      ...(url === '' ? {} : { endpoint: url, forcePathStyle: true }),
      ...(keyId === '' ? {} : { credentials: { accessKeyId: keyId, secretAccessKey: secret } }),
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }
}

/** Provides Blobs to a module that reads or writes files. */
export function blobsProvider(config: FilesConfig): FactoryProvider<Blobs> {
  return { provide: Blobs, useFactory: () => new Blobs(config) };
}

function unavailable(error: unknown): BlobsUnavailableError {
  if (error instanceof BlobsUnavailableError) return error;
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new BlobsUnavailableError(`The file bucket is unavailable: ${reason}`, {
    cause: error,
  });
}
