import { Module } from '@nestjs/common';
import { Blobs } from '@app/blobs';
import type { IngestConfig } from '@app/config';
import { INGEST_CONFIG } from '../tokens.js';
import { FileStore } from './file-store.js';
import { FilesController } from './files.controller.js';
import { FilesReader } from './files.reader.js';

@Module({
  controllers: [FilesController],
  providers: [
    FileStore,
    FilesReader,
    // A factory, because Blobs is built from one section of the configuration.
    {
      provide: Blobs,
      inject: [INGEST_CONFIG],
      useFactory: ({ files }: IngestConfig) => new Blobs(files),
    },
  ],
  exports: [FileStore],
})
export class FilesModule {}
