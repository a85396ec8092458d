import { Module } from '@nestjs/common';
import { FilesModule } from '../files/files.module.js';
import { TablesModule } from '../tables/tables.module.js';
import { ObjectDeletion } from './object-deletion.js';
import { ObjectsController } from './objects.controller.js';
import { ObjectsPublisher } from './objects.publisher.js';
import { TagsController } from './tags.controller.js';
import { TypedDeletionController } from './typed-deletion.controller.js';
import { TypedObjects } from './typed-objects.js';
import { TypedObjectsController } from './typed-objects.controller.js';
import { VersionsReader } from './versions.reader.js';

@Module({
  imports: [FilesModule, TablesModule],
  controllers: [ObjectsController, TagsController, TypedObjectsController, TypedDeletionController],
  providers: [ObjectDeletion, ObjectsPublisher, TypedObjects, VersionsReader],
  exports: [ObjectDeletion, ObjectsPublisher, TypedObjects, VersionsReader],
})
export class ObjectsModule {}
