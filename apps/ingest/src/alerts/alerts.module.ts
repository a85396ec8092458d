import { Module } from '@nestjs/common';
import { AlertStore } from '@app/alerts';
import { AlertsController } from './alerts.controller.js';
import { Webhooks } from './webhooks.js';

@Module({ controllers: [AlertsController], providers: [AlertStore, Webhooks] })
export class AlertsModule {}
