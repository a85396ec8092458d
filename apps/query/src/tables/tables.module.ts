import { Module } from '@nestjs/common';
import { TableOrders } from './table-orders.js';
import { TablesController } from './tables.controller.js';
import { TablesReader } from './tables.reader.js';

@Module({
  controllers: [TablesController],
  providers: [TableOrders, TablesReader],
})
export class TablesModule {}
