import { Module } from '@nestjs/common';
import { AlertStore } from '@app/alerts';
import { AlertDeliveries } from './alert-deliveries.js';
import { AlertValuesReader } from './alert-values.reader.js';

@Module({
  providers: [AlertDeliveries, AlertStore, AlertValuesReader],
  exports: [AlertDeliveries, AlertStore, AlertValuesReader],
})
export class AlertsModule {}
