import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { OtelController } from './otel.controller.js';

@Module({ imports: [CallsModule], controllers: [OtelController] })
export class OtelModule {}
