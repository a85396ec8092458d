import { Module } from '@nestjs/common';
import { FeedbackStatsReader } from './feedback-stats.reader.js';
import { FeedbackController } from './feedback.controller.js';
import { FeedbackReader } from './feedback.reader.js';

@Module({
  controllers: [FeedbackController],
  providers: [FeedbackReader, FeedbackStatsReader],
})
export class FeedbackModule {}
