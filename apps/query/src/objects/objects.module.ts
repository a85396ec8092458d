import { Module } from '@nestjs/common';
import { ObjectsController } from './objects.controller.js';
import { ObjectsReader } from './objects.reader.js';

@Module({
  controllers: [ObjectsController],
  providers: [ObjectsReader],
  exports: [ObjectsReader],
})
export class ObjectsModule {}
