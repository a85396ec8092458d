import { Module } from '@nestjs/common';
import { FilesModule } from '../files/files.module.js';
import { VIEW_CONTROLLERS } from './object-views.controllers.js';
import { ObjectViewsReader } from './object-views.reader.js';
import { ObjectsController } from './objects.controller.js';
import { ObjectsReader } from './objects.reader.js';

@Module({
  imports: [FilesModule],
  controllers: [ObjectsController, ...VIEW_CONTROLLERS],
  providers: [ObjectsReader, ObjectViewsReader],
  exports: [ObjectsReader],
})
export class ObjectsModule {}
