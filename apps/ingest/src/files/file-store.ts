import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Blobs } from '@app/blobs';
import { contentDigest } from '@app/digests';
import { PartsPublisher, type Part } from '../parts.publisher.js';
import type { RecordContext } from '../record-facts.js';
import { bytesParts, externalPieces, fileParts, type StoredFile } from './file-facts.js';
import { FilesReader } from './files.reader.js';
import type { ReceivedFile } from './upload.js';

/** Stores files in the bucket, or piece by piece through the queue when no bucket is configured. */
@Injectable()
export class FileStore {
  constructor(
    private readonly parts: PartsPublisher,
    private readonly files: FilesReader,
    private readonly blobs: Blobs,
  ) {}

  /** Resolves when the file can be read. A file that is already stored is not written again. */
  store(file: ReceivedFile, context: RecordContext): Promise<void> {
    return this.storeContent(file, context, {
      parts: () => fileParts(file, context),
      stream: () => createReadStream(file.path),
    });
  }

  /** The same for a file in memory. Resolves to its digest. */
  async storeBytes(name: string, bytes: Buffer, context: RecordContext): Promise<string> {
    const file = { name, size: bytes.length, digest: contentDigest(bytes) };
    await this.storeContent(file, context, {
      parts: () => bytesParts(file, bytes, context),
      stream: () => Readable.from([bytes], { objectMode: false }),
    });
    return file.digest;
  }

  private async storeContent(
    file: StoredFile,
    context: RecordContext,
    content: Content,
  ): Promise<void> {
    const { projectId } = context;
    if (await this.files.isStored(projectId, file.digest)) return;
    if (!this.blobs.isConfigured || file.size === 0) return this.parts.publish(content.parts());
    // The bytes come first, so that a reader of the file finds them.
    await this.blobs.put(projectId, file.digest, content.stream());
    await this.parts.publish([externalPieces(file, context)]);
  }
}

interface Content {
  readonly parts: () => Iterable<Part> | AsyncIterable<Part>;
  readonly stream: () => Readable;
}
