import { shownWebhook, type AlertEvent, type AlertRule, type AlertStatus } from '@app/alerts';
import type { AlertEventRecord, AlertRecord } from '@app/contracts';
import type { Millis } from '@app/wire';

export function alertRecord(rule: AlertRule, status: AlertStatus | undefined): AlertRecord {
  return {
    id: rule.id,
    name: rule.name,
    kind: rule.kind,
    threshold: rule.threshold,
    percentile: rule.percentile,
    window_minutes: rule.windowMinutes,
    op: rule.op,
    is_enabled: rule.isEnabled,
    webhook: shownWebhook(rule),
    created_at: timestamp(rule.createdAt),
    created_by: rule.createdBy,
    updated_at: timestamp(rule.updatedAt),
    state: status?.state ?? null,
    since: status === undefined ? null : timestamp(status.since),
    value: status?.value ?? null,
    message: status?.message ?? null,
    evaluated_at: status === undefined ? null : timestamp(status.evaluatedAt),
  };
}

export function eventRecord({ delivery, at, ...event }: AlertEvent): AlertEventRecord {
  return {
    ...event,
    at: timestamp(at),
    delivery: delivery && {
      status: delivery.status,
      attempts: delivery.attempts,
      next_at: delivery.nextAt === null ? null : timestamp(delivery.nextAt),
      error: delivery.error,
    },
  };
}

const timestamp = (time: Millis): string => new Date(time).toISOString();
