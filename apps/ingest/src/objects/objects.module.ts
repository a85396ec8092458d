import { Module } from '@nestjs/common';
import { ObjectsController } from './objects.controller.js';
import { ObjectsPublisher } from './objects.publisher.js';
import { TagsController } from './tags.controller.js';
import { VersionsReader } from './versions.reader.js';

@Module({
  controllers: [ObjectsController, TagsController],
  providers: [ObjectsPublisher, VersionsReader],
})
export class ObjectsModule {}
