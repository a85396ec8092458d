import { Module } from '@nestjs/common';
import { AnnotationsModule } from '../annotations/annotations.module.js';
import { AnnotationCheck } from './annotation-check.js';
import { AnnotationSpecsReader } from './annotation-specs.reader.js';
import { FeedbackController } from './feedback.controller.js';
import { FeedbackIntake } from './feedback-intake.js';
import { GivenFeedbackReader } from './given-feedback.reader.js';

@Module({
  imports: [AnnotationsModule],
  controllers: [FeedbackController],
  providers: [AnnotationCheck, AnnotationSpecsReader, FeedbackIntake, GivenFeedbackReader],
  exports: [FeedbackIntake],
})
export class FeedbackModule {}
