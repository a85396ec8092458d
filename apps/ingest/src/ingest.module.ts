import { Module } from '@nestjs/common';
import { CallDeletion } from './calls/call-deletion.js';
import { CallIntake } from './calls/call-intake.js';
import { CallsController } from './calls/calls.controller.js';
import { CallsV2Controller } from './calls/calls-v2.controller.js';
import { SubtreeReader } from './calls/subtree.reader.js';
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
    CallsV2Controller,
    ObjectsController,
    TagsController,
    ProjectsController,
    TablesController,
  ],
  providers: [
    CallDeletion,
    CallIntake,
    Clock,
    SubtreeReader,
    ObjectsPublisher,
    VersionsReader,
    RecordParts,
    TablesReader,
  ],
})
export class IngestModule {}
