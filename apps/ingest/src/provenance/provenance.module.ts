import { Module } from '@nestjs/common';
import { DatasetSourcesController } from './dataset-sources.controller.js';
import { SourcesReader } from './sources.reader.js';

@Module({
  controllers: [DatasetSourcesController],
  providers: [SourcesReader],
})
export class ProvenanceModule {}
