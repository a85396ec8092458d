import { createReadStream, createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { BlobsUnavailableError } from './blobs.js';

/**
 * The objects under a prefix of any bucket, as files of a directory. Address and credentials are those of the AWS tools:
 * AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, a profile, or a role of the machine.
 */
export class BucketDirectory {
  private opened: Promise<S3Client> | undefined;

  /** The prefix ends in a slash, or is empty. */
  constructor(
    private readonly bucket: string,
    private readonly prefix: string,
  ) {}

  /** Of `s3://bucket/prefix`; undefined for anything else. */
  static of(url: string): BucketDirectory | undefined {
    const [, bucket, path] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/(.*))?$/.exec(url) ?? [];
    if (bucket === undefined) return undefined;
    const prefix = (path ?? '').replace(/\/+$/, '');
    return new BucketDirectory(bucket, prefix === '' ? '' : `${prefix}/`);
  }

  isEmpty(): Promise<boolean> {
    return this.use(async (client) => {
      const { ListObjectsCommand } = await import('@aws-sdk/client-s3');
      const { bucket: Bucket, prefix: Prefix } = this;
      const found = await client.send(new ListObjectsCommand({ Bucket, Prefix, MaxKeys: 1 }));
      return (found.Contents ?? []).length === 0;
    });
  }

  /** Resolves when the bucket has stored the whole file. */
  upload(path: string, file: string, signal: AbortSignal): Promise<void> {
    return this.use(async (client) => {
      const { Upload } = await import('@aws-sdk/lib-storage');
      const Body = createReadStream(file);
      const upload = new Upload({ client, params: { ...this.object(path), Body } });
      const abort = () => void upload.abort();
      signal.addEventListener('abort', abort, { once: true });
      try {
        signal.throwIfAborted();
        await upload.done();
      } finally {
        signal.removeEventListener('abort', abort);
        Body.destroy();
      }
    });
  }

  /** Writes a new file that only its owner may read. */
  download(path: string, file: string, signal: AbortSignal): Promise<void> {
    return this.use(async (client) => {
      const { GetObjectCommand } = await import('@aws-sdk/client-s3');
      const command = new GetObjectCommand(this.object(path));
      const { Body } = await client.send(command, { abortSignal: signal });
      const into = createWriteStream(file, { mode: 0o600, flags: 'wx' });
      await pipeline(Body as Readable, into, { signal });
    });
  }

  /** Removes these files, also those that do not exist. */
  remove(paths: readonly string[]): Promise<void> {
    return this.use(async (client) => {
      const { DeleteObjectCommand } = await import('@aws-sdk/client-s3');
      for (const path of paths) await client.send(new DeleteObjectCommand(this.object(path)));
    });
  }

  async close(): Promise<void> {
    (await this.opened)?.destroy();
  }

  private object(path: string): { Bucket: string; Key: string } {
    return { Bucket: this.bucket, Key: `${this.prefix}${path}` };
  }

  private async use<T>(work: (client: S3Client) => Promise<T>): Promise<T> {
    try {
      return await work(await (this.opened ??= open()));
    } catch (error) {
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      throw new BlobsUnavailableError(`The bucket ${this.bucket} is unavailable: ${reason}`, {
        cause: error,
      });
    }
  }
}

/** Servers other than S3 itself have no host name per bucket, and do not support all checksums. */
async function open(): Promise<S3Client> {
  const { S3Client } = await import('@aws-sdk/client-s3');
  return new S3Client({
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}
