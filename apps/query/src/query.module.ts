import { Module, type DynamicModule } from '@nestjs/common';
import type { QueryConfig } from '@app/config';
import { AgentsModule } from './agents/agents.module.js';
import { AnnotationsModule } from './annotations/annotations.module.js';
import { AuditModule } from './audit/audit.module.js';
import { CallsModule } from './calls/calls.module.js';
import { CostsModule } from './costs/costs.module.js';
import { EvaluationsModule } from './evaluations/evaluations.module.js';
import { FeedbackModule } from './feedback/feedback.module.js';
import { FilesModule } from './files/files.module.js';
import { GraphqlModule } from './graphql/graphql.module.js';
import { ObjectsModule } from './objects/objects.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { PagesModule } from './pages/pages.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { ProvenanceModule } from './provenance/provenance.module.js';
import { ReadModule } from './read.module.js';
import { RefsModule } from './refs/refs.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { TablesModule } from './tables/tables.module.js';
import { ThreadsModule } from './threads/threads.module.js';
import { TracesModule } from './traces/traces.module.js';
import { UsageModule } from './usage/usage.module.js';

/** Every read of the wire interface. */
@Module({})
export class QueryModule {
  static register(config: QueryConfig): DynamicModule {
    return {
      module: QueryModule,
      imports: [
        ReadModule.register(config),
        AgentsModule,
        AnnotationsModule,
        AuditModule,
        CallsModule,
        CostsModule,
        EvaluationsModule,
        FeedbackModule,
        FilesModule,
        GraphqlModule,
        ObjectsModule,
        OperationsModule,
        PagesModule,
        ProjectsModule,
        ProvenanceModule,
        RefsModule,
        SessionsModule,
        TablesModule,
        ThreadsModule,
        TracesModule,
        UsageModule,
      ],
    };
  }
}
