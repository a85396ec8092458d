import { Module } from '@nestjs/common';
import { DatasetSourcesController } from './dataset-sources.controller.js';
import { DatasetSourcesReader } from './dataset-sources.reader.js';

@Module({
  controllers: [DatasetSourcesController],
  providers: [DatasetSourcesReader],
})
export class ProvenanceModule {}
