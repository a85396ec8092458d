import { Module } from '@nestjs/common';
import { ObjectsModule } from '../objects/objects.module.js';
import { ProvidersReader } from './providers.reader.js';
import { RuntimeStore } from './runtime-store.js';
import { RuntimesController } from './runtimes.controller.js';

@Module({
  imports: [ObjectsModule],
  controllers: [RuntimesController],
  providers: [ProvidersReader, RuntimeStore],
})
export class RuntimesModule {}
