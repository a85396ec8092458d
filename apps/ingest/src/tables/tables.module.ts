import { Module } from '@nestjs/common';
import { TableEditor } from './table-editor.js';
import { TablesController } from './tables.controller.js';
import { TablesReader } from './tables.reader.js';

@Module({
  controllers: [TablesController],
  providers: [TableEditor, TablesReader],
})
export class TablesModule {}
