import { Module, type DynamicModule } from '@nestjs/common';
import { AlertStore } from '@app/alerts';
import { blobsProvider } from '@app/blobs';
import type { FilesConfig } from '@app/config';
import { RepairModule } from '../repair/repair.module.js';
import { RewriteModule } from '../repair/rewrite.module.js';
import { BucketFiles } from './bucket-files.js';
import { DiskCopies } from './disk-copies.js';
import { ErasedRowsModule } from './erased-rows.module.js';
import { Erasure } from './erasure.js';
import { RemovalMark } from './removal-mark.js';

/** Erases data permanently, also from the file bucket. */
@Module({})
export class ErasureModule {
  static register(files: FilesConfig): DynamicModule {
    return {
      module: ErasureModule,
      imports: [ErasedRowsModule, RepairModule, RewriteModule],
      providers: [blobsProvider(files), AlertStore, BucketFiles, DiskCopies, Erasure, RemovalMark],
      exports: [DiskCopies, Erasure, RemovalMark],
    };
  }
}
