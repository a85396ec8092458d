import { Module } from '@nestjs/common';
import { MaintenanceQueueModule, QueueRates } from '@app/queue';
import { DiskHistory } from './disk-history.reader.js';
import { LedgerReader } from './ledger.reader.js';
import { OperationsController } from './operations.controller.js';
import { RetentionPreviewReader } from './retention-preview.reader.js';
import {
  MaintenanceReader,
  QueueHealthReader,
  ServerHealthReader,
} from './server-health.reader.js';

@Module({
  imports: [MaintenanceQueueModule],
  controllers: [OperationsController],
  providers: [
    DiskHistory,
    LedgerReader,
    MaintenanceReader,
    QueueHealthReader,
    QueueRates,
    RetentionPreviewReader,
    ServerHealthReader,
  ],
})
export class OperationsModule {}
