import { Inject, Injectable } from '@nestjs/common';
import {
  afterAttempt,
  alertMessage,
  WebhookAddresses,
  WebhookSender,
  type AlertEvent,
  type AlertRule,
  type AlertStatus,
  type Delivery,
} from '@app/alerts';
import type { WorkerConfig } from '@app/config';
import { counter } from '@app/observability';
import type { Millis } from '@app/wire';
import { WORKER_CONFIG } from '../tokens.js';

const CONCURRENT = 8;
/** Deliveries of one project in one run, so that one whose receiver never responds does not delay the others for long. */
const PER_PROJECT = 4;
/** No attempt begins after this time; the last one may take as long as a webhook may. */
const BEGIN_WITHIN_MS = 10_000;

const ATTEMPTS = counter(
  'heddle_worker_alert_deliveries_total',
  'Attempts to send a change of an alert to its webhook.',
  ['result'],
);

export interface DueDelivery {
  readonly projectId: string;
  readonly rule: AlertRule;
  readonly event: AlertEvent & { readonly delivery: Delivery };
}

/** Sends changes of state to the webhooks of their rules. */
@Injectable()
export class AlertDeliveries {
  private readonly sender: WebhookSender;

  constructor(@Inject(WORKER_CONFIG) { webhooks }: Pick<WorkerConfig, 'webhooks'>) {
    this.sender = new WebhookSender(new WebhookAddresses(webhooks.allowedNetworks));
    for (const result of ['delivered', 'failed']) ATTEMPTS.inc({ result }, 0);
  }

  /** The deliveries of a rule whose time has come, the oldest first. */
  dueOf(
    projectId: string,
    rule: AlertRule,
    status: AlertStatus | undefined,
    now: Millis,
  ): DueDelivery[] {
    return (status?.events ?? [])
      .filter(isPending)
      .filter(({ delivery: { nextAt } }) => nextAt === null || nextAt <= now)
      .map((event) => ({ projectId, rule, event }))
      .reverse();
  }

  /** Calls `save` after each attempt, one call at a time. */
  async send<D extends DueDelivery>(
    due: readonly D[],
    signal: AbortSignal,
    save: (sent: D, delivery: Delivery) => Promise<void>,
    now: () => Millis,
  ): Promise<void> {
    const until = performance.now() + BEGIN_WITHIN_MS;
    const waiting = limitedPerProject(due);
    let saved = Promise.resolve();
    const sendNext = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        if (signal.aborted || performance.now() > until) return;
        const sent = one;
        const delivery = await this.attempt(sent, signal, now);
        // An attempt that a shutdown cut off does not count.
        if (signal.aborted) return;
        saved = saved.then(() => save(sent, delivery));
        await saved;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, sendNext));
  }

  private async attempt(
    { projectId, rule, event }: DueDelivery,
    signal: AbortSignal,
    now: () => Millis,
  ): Promise<Delivery> {
    const { webhook } = rule;
    if (webhook === null) {
      const error = 'The rule has no webhook any more.';
      return afterAttempt(event.delivery, { error, isRetriable: false }, now());
    }
    const body = alertMessage(projectId, rule, event);
    const result = await this.sender.send(webhook, { id: event.id, body }, signal);
    ATTEMPTS.inc({ result: result.error === null ? 'delivered' : 'failed' });
    return afterAttempt(event.delivery, result, now());
  }
}

const isPending = (event: AlertEvent): event is AlertEvent & { readonly delivery: Delivery } =>
  event.delivery?.status === 'pending';

function limitedPerProject<D extends DueDelivery>(due: readonly D[]): D[] {
  const counts = new Map<string, number>();
  return due.filter(({ projectId }) => {
    const count = (counts.get(projectId) ?? 0) + 1;
    counts.set(projectId, count);
    return count <= PER_PROJECT;
  });
}
