import { Module, type DynamicModule, type OnApplicationBootstrap } from '@nestjs/common';
import type { IngestConfig } from '@app/config';
import { DiskSpace } from '@app/redis';
import { AlertsModule } from './alerts/alerts.module.js';
import { AnnotationsModule } from './annotations/annotations.module.js';
import { CallsModule } from './calls/calls.module.js';
import { CostsModule } from './costs/costs.module.js';
import { DeadLettersModule } from './dead-letters/dead-letters.module.js';
import { ErasuresModule } from './erasures/erasures.module.js';
import { EvaluationsModule } from './evaluations/evaluations.module.js';
import { FeedbackModule } from './feedback/feedback.module.js';
import { FilesModule } from './files/files.module.js';
import { KeysModule } from './keys/keys.module.js';
import { ObjectsModule } from './objects/objects.module.js';
import { OtelModule } from './otel/otel.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { ProvenanceModule } from './provenance/provenance.module.js';
import { RuntimesModule } from './runtimes/runtimes.module.js';
import { TablesModule } from './tables/tables.module.js';
import { WriteModule } from './write.module.js';

/** Every write of the wire interface. */
@Module({
  imports: [
    AlertsModule,
    AnnotationsModule,
    CallsModule,
    ObjectsModule,
    TablesModule,
    FilesModule,
    EvaluationsModule,
    FeedbackModule,
    CostsModule,
    DeadLettersModule,
    ErasuresModule,
    KeysModule,
    ProjectsModule,
    OtelModule,
    ProvenanceModule,
    RuntimesModule,
  ],
})
export class IngestModule implements OnApplicationBootstrap {
  constructor(private readonly disks: DiskSpace) {}

  static register(config: IngestConfig): DynamicModule {
    return { module: IngestModule, imports: [WriteModule.register(config)] };
  }

  onApplicationBootstrap(): Promise<void> {
    return this.disks.watch();
  }
}
