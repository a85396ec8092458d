import { Module } from '@nestjs/common';
import { CostsModule } from '../costs/costs.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { TraceTreeReader } from './trace-tree.reader.js';
import { TracesController } from './traces.controller.js';

@Module({
  imports: [CostsModule, ProjectsModule],
  controllers: [TracesController],
  providers: [TraceTreeReader],
})
export class TracesModule {}
