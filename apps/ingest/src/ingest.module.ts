import { Module, type DynamicModule } from '@nestjs/common';
import { blobsProvider } from '@app/blobs';
import type { IngestConfig } from '@app/config';
import { CallDeletion } from './calls/call-deletion.js';
import { CallIntake } from './calls/call-intake.js';
import { CallsController } from './calls/calls.controller.js';
import { CallsV2Controller } from './calls/calls-v2.controller.js';
import { Redaction } from './calls/redaction.js';
import { SubtreeReader } from './calls/subtree.reader.js';
import { Clock } from './clock.js';
import { CostsController } from './costs/costs.controller.js';
import { PricesReader } from './costs/prices.reader.js';
import { AnnotationCheck } from './feedback/annotation-check.js';
import { AnnotationSpecsReader } from './feedback/annotation-specs.reader.js';
import { FeedbackController } from './feedback/feedback.controller.js';
import { FeedbackIntake } from './feedback/feedback-intake.js';
import { FileStore } from './files/file-store.js';
import { FilesController } from './files/files.controller.js';
import { FilesReader } from './files/files.reader.js';
import { KeysController } from './keys/keys.controller.js';
import { ObjectsController } from './objects/objects.controller.js';
import { ObjectsPublisher } from './objects/objects.publisher.js';
import { ProjectsController } from './objects/projects.controller.js';
import { TagsController } from './objects/tags.controller.js';
import { VersionsReader } from './objects/versions.reader.js';
import { OtelController } from './otel/otel.controller.js';
import { RetentionController } from './projects/retention.controller.js';
import { RecordParts } from './record-parts.js';
import { TablesController } from './tables/tables.controller.js';
import { TableEditor } from './tables/table-editor.js';
import { TablesReader } from './tables/tables.reader.js';
import { INGEST_CONFIG } from './tokens.js';

/** Every write of the wire interface. Queue, store and keys are given by the process it runs in. */
@Module({})
export class IngestModule {
  static register(config: IngestConfig): DynamicModule {
    return {
      module: IngestModule,
      controllers: [
        CallsController,
        CallsV2Controller,
        ObjectsController,
        TagsController,
        ProjectsController,
        TablesController,
        FilesController,
        FeedbackController,
        CostsController,
        KeysController,
        RetentionController,
        OtelController,
      ],
      providers: [
        { provide: INGEST_CONFIG, useValue: config },
        CallDeletion,
        CallIntake,
        { provide: Redaction, useFactory: () => new Redaction(config.redactKeys) },
        Clock,
        SubtreeReader,
        ObjectsPublisher,
        VersionsReader,
        RecordParts,
        TableEditor,
        TablesReader,
        FileStore,
        FilesReader,
        blobsProvider(config.files),
        AnnotationCheck,
        AnnotationSpecsReader,
        FeedbackIntake,
        PricesReader,
      ],
    };
  }
}
