import { Module } from '@nestjs/common';
import { RefResolver } from './ref-resolver.js';
import { RefsController } from './refs.controller.js';
import { RefsReader } from './refs.reader.js';

@Module({
  controllers: [RefsController],
  providers: [RefResolver, RefsReader],
  exports: [RefResolver],
})
export class RefsModule {}
