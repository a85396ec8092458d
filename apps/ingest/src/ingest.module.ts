import { Module } from '@nestjs/common';
import { CallsController } from './calls/calls.controller.js';
import { Clock } from './clock.js';

/** Every write of the wire interface. Queue and keys are given by the process it runs in. */
@Module({ controllers: [CallsController], providers: [Clock] })
export class IngestModule {}
