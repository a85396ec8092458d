import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { ObjectsModule } from '../objects/objects.module.js';
import { PagesController } from './pages.controller.js';
import { PagesReader } from './pages.reader.js';

@Module({
  imports: [CallsModule, ObjectsModule],
  controllers: [PagesController],
  providers: [PagesReader],
})
export class PagesModule {}
