import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { CostsModule } from '../costs/costs.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { CallsStatsReader } from './calls-stats.reader.js';
import { CostsReportReader } from './costs-report.reader.js';
import { UsageController } from './usage.controller.js';
import { UsageReader } from './usage.reader.js';

@Module({
  imports: [CallsModule, CostsModule, ProjectsModule],
  controllers: [UsageController],
  providers: [CallsStatsReader, CostsReportReader, UsageReader],
})
export class UsageModule {}
