import { Module } from '@nestjs/common';
import { CostsController } from './costs.controller.js';
import { PricesReader } from './prices.reader.js';

@Module({ controllers: [CostsController], providers: [PricesReader] })
export class CostsModule {}
