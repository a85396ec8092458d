import { createReadStream } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { Blobs } from '@app/blobs';
import { PartsPublisher } from '../parts.publisher.js';
import type { RecordContext } from '../record-facts.js';
import { externalPieces, fileParts } from './file-facts.js';
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
  async store(file: ReceivedFile, context: RecordContext): Promise<void> {
    const { projectId } = context;
    if (await this.files.isStored(projectId, file.digest)) return;
    if (!this.blobs.isConfigured || file.size === 0) {
      return this.parts.publish(fileParts(file, context));
    }
    // The bytes come first, so that a reader of the file finds them.
    await this.blobs.put(projectId, file.digest, createReadStream(file.path));
    await this.parts.publish([externalPieces(file, context)]);
  }
}
