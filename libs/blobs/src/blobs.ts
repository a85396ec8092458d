import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type { FilesConfig } from '@app/config';

/** The store of files cannot be reached, or is not configured here. */
export class BlobsUnavailableError extends Error {
  override readonly name = 'BlobsUnavailableError';
}

const REMOVED_AT_ONCE = 16;

/** Files outside ClickHouse, in a bucket that speaks S3. Nothing of it is loaded until it is used. */
export class Blobs {
  private opened: Promise<S3Client> | undefined;

  constructor(private readonly config: FilesConfig) {}

  get isConfigured(): boolean {
    return this.config.bucket !== '';
  }

  /** Resolves when the bucket holds all of it. Sending it again does no harm. */
  async put(projectId: string, digest: string, body: Readable): Promise<void> {
    try {
      const client = await this.client();
      const { Upload } = await import('@aws-sdk/lib-storage');
      await new Upload({ client, params: { ...this.place(projectId, digest), Body: body } }).done();
    } catch (error) {
      throw away(error);
    } finally {
      body.destroy();
    }
  }

  /** Bytes from `start` to before `end`, as they come. */
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
      const command = new GetObjectCommand({ ...this.place(projectId, digest), Range });
      const { Body } = await client.send(command, signal ? { abortSignal: signal } : {});
      for await (const piece of Body as Readable) yield piece as Buffer;
    } catch (error) {
      throw away(error);
    }
  }

  /** Digests of all files of a project, in no order. */
  async *digests(projectId: string): AsyncGenerator<string> {
    try {
      const client = await this.client();
      const { paginateListObjectsV2 } = await import('@aws-sdk/client-s3');
      const { Bucket, Key: Prefix } = this.place(projectId, '');
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
        for (const { Key } of Contents) yield decodeURIComponent(Key!.slice(Prefix.length));
      }
    } catch (error) {
      throw away(error);
    }
  }

  /** Resolves when the bucket says that they are gone. Removing what is not there does no harm. */
  async remove(projectId: string, digests: readonly string[]): Promise<void> {
    try {
      const client = await this.client();
      const { DeleteObjectCommand } = await import('@aws-sdk/client-s3');
      // One by one: not every server that speaks S3 knows the checksums that removing many at once asks for.
      for (let at = 0; at < digests.length; at += REMOVED_AT_ONCE) {
        const some = digests.slice(at, at + REMOVED_AT_ONCE);
        const commands = some.map(
          (digest) => new DeleteObjectCommand(this.place(projectId, digest)),
        );
        await Promise.all(commands.map((command) => client.send(command)));
      }
    } catch (error) {
      throw away(error);
    }
  }

  async close(): Promise<void> {
    (await this.opened)?.destroy();
  }

  private place(projectId: string, digest: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.config;
    const key = [...projectId.split('/'), digest].map(encodeURIComponent).join('/');
    return { Bucket: bucket, Key: prefix === '' ? key : `${prefix}/${key}` };
  }

  private async client(): Promise<S3Client> {
    if (!this.isConfigured) throw new BlobsUnavailableError('FILES_S3_BUCKET is not set here.');
    return (this.opened ??= this.open());
  }

  /** Checksums beyond those that S3 asks for are not known to every server that speaks its protocol. */
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

function away(error: unknown): BlobsUnavailableError {
  if (error instanceof BlobsUnavailableError) return error;
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new BlobsUnavailableError(`The bucket of files does not answer: ${reason}`, {
    cause: error,
  });
}
