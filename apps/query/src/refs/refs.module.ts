import { Module } from '@nestjs/common';
import { RefResolver } from './ref-resolver.js';
import { RefsController } from './refs.controller.js';
import { RefsReader } from './refs.reader.js';
import { ValueMemory } from './value-memory.js';

@Module({
  controllers: [RefsController],
  providers: [RefResolver, RefsReader, ValueMemory],
  exports: [RefResolver],
})
export class RefsModule {}
