import { Module } from '@nestjs/common';
import { DeadLetters } from './dead-letters.writer.js';
import { FlushReceipts } from './flush-receipts.writer.js';
import { ReceiptsRemoval } from './receipts.removal.js';

/** Dead letters and flush receipts. */
@Module({
  providers: [DeadLetters, FlushReceipts, ReceiptsRemoval],
  exports: [DeadLetters, FlushReceipts, ReceiptsRemoval],
})
export class PipelineModule {}
