import type { AlertEvent, AlertRule } from './alert-rule.js';

type Sent = Pick<AlertEvent, 'id' | 'at' | 'from' | 'to' | 'value' | 'message'>;

const TYPES = { firing: 'alert.firing', ok: 'alert.resolved' } as const;

/** The body of a webhook. A test has the type `alert.test`. */
export function alertMessage(projectId: string, rule: AlertRule, event: Sent | null): string {
  const { id, name, kind, threshold, percentile, windowMinutes: window_minutes, op } = rule;
  const isSent = event !== null && (event.to === 'firing' || event.to === 'ok');
  return JSON.stringify({
    type: isSent ? TYPES[event.to] : 'alert.test',
    timestamp: new Date(event?.at ?? Date.now()).toISOString(),
    data: {
      project_id: projectId,
      rule: { id, name, kind, threshold, percentile, window_minutes, op },
      state: event?.to ?? null,
      previous_state: event?.from ?? null,
      value: event?.value ?? null,
      message: event?.message ?? null,
    },
  });
}

/** A webhook without the parts of its URL that may be credentials. */
export const shownWebhook = ({ webhook }: Pick<AlertRule, 'webhook'>): string | null =>
  webhook === null ? null : `${new URL(webhook.url).origin}/…`;
