import { Module } from '@nestjs/common';
import { CallsController } from './calls/calls.controller.js';
import { Clock } from './clock.js';
import { ObjectsController } from './objects/objects.controller.js';
import { ObjectsPublisher } from './objects/objects.publisher.js';
import { ProjectsController } from './objects/projects.controller.js';
import { TagsController } from './objects/tags.controller.js';
import { VersionsReader } from './objects/versions.reader.js';
import { RecordParts } from './record-parts.js';
import { TablesController } from './tables/tables.controller.js';
import { TablesReader } from './tables/tables.reader.js';

/** Every write of the wire interface. Queue, store and keys are given by the process it runs in. */
@Module({
  controllers: [
    CallsController,
    ObjectsController,
    TagsController,
    ProjectsController,
    TablesController,
  ],
  providers: [Clock, ObjectsPublisher, VersionsReader, RecordParts, TablesReader],
})
export class IngestModule {}
