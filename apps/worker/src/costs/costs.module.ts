import { Module } from '@nestjs/common';
import { RewriteModule } from '../repair/rewrite.module.js';
import { CostsAtWrite } from './costs-at-write.js';
import { PriceBookWriter } from './price-book.writer.js';
import { Repricing } from './repricing.js';

@Module({
  imports: [RewriteModule],
  providers: [CostsAtWrite, PriceBookWriter, Repricing],
  exports: [CostsAtWrite, PriceBookWriter, Repricing],
})
export class CostsModule {}
