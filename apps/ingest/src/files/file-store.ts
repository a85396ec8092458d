import { createReadStream } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { Blobs } from '@app/blobs';
import type { IngestContext } from '../objects/object-facts.js';
import { RecordParts } from '../record-parts.js';
import { externalPieces, fileParts } from './file-facts.js';
import { FilesReader } from './files.reader.js';
import type { ReceivedFile } from './upload.js';

/** Keeps files: in a bucket where there is one, piece by piece through the queue otherwise. */
@Injectable()
export class FileStore {
  constructor(
    private readonly parts: RecordParts,
    private readonly files: FilesReader,
    private readonly blobs: Blobs,
  ) {}

  /** Resolves when the file can be read. One that is there already is not written again. */
  async keep(file: ReceivedFile, receipt: IngestContext): Promise<void> {
    const { projectId } = receipt;
    if (await this.files.isStored(projectId, file.digest)) return;
    if (!this.blobs.isConfigured || file.size === 0) {
      return this.parts.keep(fileParts(file, receipt));
    }
    // The bytes first: whoever finds the file finds them.
    await this.blobs.put(projectId, file.digest, createReadStream(file.path));
    await this.parts.keep([externalPieces(file, receipt)]);
  }
}
