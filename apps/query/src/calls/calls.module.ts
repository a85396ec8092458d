import { Module } from '@nestjs/common';
import { CostsModule } from '../costs/costs.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { RefsModule } from '../refs/refs.module.js';
import { CallCosts } from './call-costs.js';
import { CallExpansion } from './call-expansion.js';
import { CallExtrasReader } from './call-extras.reader.js';
import { CallFieldsReader } from './call-fields.reader.js';
import { CALL_THRESHOLDS, DEFAULT_CALL_THRESHOLDS } from './call-thresholds.js';
import { CallStreams } from './call-streams.js';
import { CallsController } from './calls.controller.js';
import { CallsExportReader } from './calls-export.reader.js';
import { CallsOverviewController } from './calls-overview.controller.js';
import { CallsOverviewReader } from './calls-overview.reader.js';
import { CallsPlanner } from './calls-planner.js';
import { CallsTailController } from './calls-tail.controller.js';
import { CallsTails } from './calls-tail.js';
import { CallsPreviewReader } from './calls-preview.reader.js';
import { CallsReader } from './calls.reader.js';
import { PayloadSearch } from './payload-search.js';

@Module({
  imports: [CostsModule, ProjectsModule, RefsModule],
  controllers: [CallsController, CallsOverviewController, CallsTailController],
  providers: [
    { provide: CALL_THRESHOLDS, useValue: DEFAULT_CALL_THRESHOLDS },
    CallCosts,
    CallExpansion,
    CallExtrasReader,
    CallFieldsReader,
    CallStreams,
    CallsExportReader,
    CallsOverviewReader,
    CallsPlanner,
    CallsPreviewReader,
    CallsReader,
    CallsTails,
    PayloadSearch,
  ],
  exports: [CallFieldsReader, CallsReader],
})
export class CallsModule {}
