import { Module } from '@nestjs/common';
import { CostsModule } from '../costs/costs.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { AgentsController } from './agents.controller.js';
import { AgentsReader } from './agents.reader.js';
import { ConversationsReader } from './conversations.reader.js';
import { AgentFeedbackReader } from './agent-feedback.reader.js';
import { DistributionsReader } from './distributions.reader.js';
import { SpanHistogramReader } from './span-histogram.reader.js';
import { SpanStatsReader } from './span-stats.reader.js';
import { SpansController } from './spans.controller.js';
import { SpansReader } from './spans.reader.js';

@Module({
  imports: [CostsModule, ProjectsModule],
  controllers: [AgentsController, SpansController],
  providers: [
    AgentFeedbackReader,
    AgentsReader,
    ConversationsReader,
    DistributionsReader,
    SpanHistogramReader,
    SpansReader,
    SpanStatsReader,
  ],
})
export class AgentsModule {}
