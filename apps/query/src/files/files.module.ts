import { Module } from '@nestjs/common';
import { Blobs } from '@app/blobs';
import type { QueryConfig } from '@app/config';
import { QUERY_CONFIG } from '../tokens.js';
import { CodeReader } from './code.reader.js';
import { FilesController } from './files.controller.js';
import { FilesReader } from './files.reader.js';

@Module({
  controllers: [FilesController],
  providers: [
    CodeReader,
    FilesReader,
    // A factory, because Blobs is built from one section of the configuration.
    {
      provide: Blobs,
      inject: [QUERY_CONFIG],
      useFactory: ({ files }: QueryConfig) => new Blobs(files),
    },
  ],
  exports: [CodeReader],
})
export class FilesModule {}
