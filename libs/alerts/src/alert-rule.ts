import { randomUUID } from 'node:crypto';
import type { Millis } from '@app/wire';

/** What a rule watches. */
export const ALERT_KINDS = ['cost', 'error_rate', 'latency', 'dead_letters', 'no_data'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** `no_data`: the period has no calls to compute the value from. `error`: the value could not be read. */
export type AlertState = 'ok' | 'firing' | 'no_data' | 'error';

export const RULES_MAX = 20;
/** Changes of state that a rule remembers. */
export const EVENTS_MAX = 50;

/** What a rule watches, and when it fires. */
export interface AlertCondition {
  readonly name: string;
  readonly kind: AlertKind;
  /** Decimal text: the rule fires when the value is greater. Null for `no_data`. */
  readonly threshold: string | null;
  /** Of `latency`. */
  readonly percentile: number | null;
  /** The newest minutes that count; null for a cost, which is of the current day, and for dead letters. */
  readonly windowMinutes: number | null;
  /** Only calls of this op; null for all. */
  readonly op: string | null;
  readonly isEnabled: boolean;
}

/** Where a change of state is sent. The path of the URL may be a credential, so that it is never shown again. */
export interface Webhook {
  readonly url: string;
  readonly secret: string;
}

export interface AlertRule extends AlertCondition {
  readonly id: string;
  readonly webhook: Webhook | null;
  readonly createdAt: Millis;
  readonly createdBy: string;
  readonly updatedAt: Millis;
}

/** The delivery of a change of state by webhook. */
export interface Delivery {
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  /** When the next attempt is due; null when there is none. */
  readonly nextAt: Millis | null;
  /** Why the last attempt failed. */
  readonly error: string | null;
}

/** A change of state. */
export interface AlertEvent {
  /** Also the id of the delivery, which all its attempts share. */
  readonly id: string;
  readonly at: Millis;
  readonly from: AlertState | null;
  readonly to: AlertState;
  readonly value: string | null;
  readonly message: string | null;
  /** Null when nothing is sent. */
  readonly delivery: Delivery | null;
}

export interface AlertStatus {
  readonly state: AlertState;
  readonly since: Millis;
  readonly value: string | null;
  readonly message: string | null;
  readonly evaluatedAt: Millis;
  /** Whether a change to `firing` was the last one that was sent. */
  readonly isNotified: boolean;
  /** The newest first. */
  readonly events: readonly AlertEvent[];
}

export interface Reading {
  readonly state: AlertState;
  /** Decimal text. */
  readonly value: string | null;
  /** Why there is no value. */
  readonly message: string | null;
}

/** The status after a reading. A rule that was never read changes to its first state silently, unless that is `firing`. */
export function nextStatus(
  before: AlertStatus | undefined,
  { state, value, message }: Reading,
  { hasWebhook, now }: { readonly hasWebhook: boolean; readonly now: Millis },
): AlertStatus {
  const current = { state, value, message, evaluatedAt: now };
  if (before?.state === state) return { ...before, ...current };
  const isNotified = before?.isNotified ?? false;
  // Only a rule that has fired is resolved; a gap in the data in between resolves nothing.
  const isSent = state === 'firing' ? !isNotified : state === 'ok' && isNotified;
  const event: AlertEvent = {
    id: randomUUID(),
    at: now,
    from: before?.state ?? null,
    to: state,
    value,
    message,
    delivery:
      isSent && hasWebhook ? { status: 'pending', attempts: 0, nextAt: now, error: null } : null,
  };
  return {
    ...current,
    since: now,
    isNotified: isSent ? state === 'firing' : isNotified,
    events: [event, ...(before?.events ?? [])].slice(0, EVENTS_MAX),
  };
}
