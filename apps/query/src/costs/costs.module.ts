import { Module } from '@nestjs/common';
import { CostsController } from './costs.controller.js';
import { CostsReader } from './costs.reader.js';
import { PricesReader } from './prices.reader.js';

@Module({
  controllers: [CostsController],
  providers: [CostsReader, PricesReader],
  exports: [PricesReader],
})
export class CostsModule {}
