import { Module } from '@nestjs/common';
import { CostsAtWrite } from './costs-at-write.js';
import { PriceBookWriter } from './price-book.writer.js';
import { Repricing } from './repricing.js';
import { StalePrices } from './stale-prices.js';

@Module({
  providers: [CostsAtWrite, PriceBookWriter, Repricing, StalePrices],
  exports: [CostsAtWrite, PriceBookWriter, Repricing, StalePrices],
})
export class CostsModule {}
