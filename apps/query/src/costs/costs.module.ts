import { Module } from '@nestjs/common';
import { CostsController } from './costs.controller.js';
import { CostsReader } from './costs.reader.js';
import { PricesReader } from './prices.reader.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { WhatIfReader } from './what-if.reader.js';

@Module({
  imports: [ProjectsModule],
  controllers: [CostsController],
  providers: [CostsReader, PricesReader, WhatIfReader],
  exports: [PricesReader],
})
export class CostsModule {}
