import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { DeadLetterReplay } from './dead-letter-replay.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { DeadLettersReader } from './dead-letters.reader.js';
import { DeadLetters } from './dead-letters.js';

@Module({
  imports: [CallsModule],
  controllers: [DeadLettersController],
  providers: [DeadLetterReplay, DeadLetters, DeadLettersReader],
  exports: [DeadLetterReplay, DeadLettersReader],
})
export class DeadLettersModule {}
