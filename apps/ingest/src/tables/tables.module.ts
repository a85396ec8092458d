import { Module } from '@nestjs/common';
import { TableEditor } from './table-editor.js';
import { TablePublisher } from './table-publisher.js';
import { TablesController } from './tables.controller.js';
import { TablesReader } from './tables.reader.js';

@Module({
  controllers: [TablesController],
  providers: [TableEditor, TablePublisher, TablesReader],
  exports: [TablePublisher],
})
export class TablesModule {}
