import type { FactoryProvider } from '@nestjs/common';
import type { FilesConfig } from '@app/config';
import { Blobs } from './blobs.js';

/** Blobs for a module that takes files in or gives them out. */
export function blobsProvider(config: FilesConfig): FactoryProvider<Blobs> {
  return { provide: Blobs, useFactory: () => new Blobs(config) };
}
