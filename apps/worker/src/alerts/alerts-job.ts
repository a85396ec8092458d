import { Inject, Injectable } from '@nestjs/common';
import { AlertStore, nextStatus, type AlertRule, type AlertStatus } from '@app/alerts';
import { messageOf } from '@app/errors';
import { nowMillis, type Millis } from '@app/wire';
import type { Logger } from '@app/observability';
import { LOGGER } from '../tokens.js';
import { AlertDeliveries, type DueDelivery } from './alert-deliveries.js';
import { AlertValuesReader } from './alert-values.reader.js';

/** A rule is evaluated once in this time. */
const EVALUATE_EVERY_MS = 60_000;
/** What a run does not reach within this time, the next one begins with. */
const BUDGET_MS = 20_000;

/** The statuses of a project while a run changes them. */
interface Evaluated {
  readonly projectId: string;
  readonly rules: readonly AlertRule[];
  readonly statuses: Record<string, AlertStatus>;
}

/** Evaluates alert rules, saves changes of their states, and sends these to webhooks. */
@Injectable()
export class AlertsJob {
  constructor(
    private readonly store: AlertStore,
    private readonly values: AlertValuesReader,
    private readonly deliveries: AlertDeliveries,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** `now` is fixed by tests only. */
  async run(signal: AbortSignal, now: () => Millis = nowMillis): Promise<void> {
    const until = performance.now() + BUDGET_MS;
    const due: (DueDelivery & { readonly project: Evaluated })[] = [];
    let last: string | undefined;
    for (const projectId of await this.store.projects()) {
      if (signal.aborted || performance.now() > until) break;
      const project = await this.evaluate(projectId, now());
      const pending = project.rules.flatMap((rule) =>
        this.deliveries.dueOf(projectId, rule, project.statuses[rule.id], now()),
      );
      due.push(...pending.map((one) => ({ ...one, project })));
      last = projectId;
    }
    if (last !== undefined) await this.store.saveCursor(last);
    await this.deliveries.send(
      due,
      signal,
      async ({ project, rule, event }, delivery) => {
        const status = project.statuses[rule.id]!;
        const events = status.events.map((one) =>
          one.id === event.id ? { ...one, delivery } : one,
        );
        project.statuses[rule.id] = { ...status, events };
        await this.store.saveStatuses(project.projectId, project.statuses);
      },
      now,
    );
  }

  private async evaluate(projectId: string, now: Millis): Promise<Evaluated> {
    const { rules, statuses: known } = await this.store.read(projectId);
    const statuses: Record<string, AlertStatus> = {};
    let isChanged = false;
    for (const rule of rules) {
      const before = known[rule.id];
      const isDue = rule.isEnabled && isDueAt(before, rule, now);
      if (isDue) isChanged = true;
      const status = isDue ? await this.statusOf(projectId, rule, before, now) : before;
      if (status !== undefined) statuses[rule.id] = status;
    }
    if (isChanged) await this.store.saveStatuses(projectId, statuses);
    return { projectId, rules, statuses };
  }

  private async statusOf(
    projectId: string,
    rule: AlertRule,
    before: AlertStatus | undefined,
    now: Millis,
  ): Promise<AlertStatus> {
    const at = { hasWebhook: rule.webhook !== null, now };
    try {
      return nextStatus(before, await this.values.read(projectId, rule, now), at);
    } catch (error) {
      this.logger.warn('An alert rule could not be evaluated; the next run tries again.', {
        projectId,
        rule: rule.id,
        error: messageOf(error).slice(0, 300),
      });
      const message = 'The value could not be read; the log of the worker has the reason.';
      return nextStatus(before, { state: 'error', value: null, message }, at);
    }
  }
}

/** A rule that was changed is evaluated at once. */
function isDueAt(before: AlertStatus | undefined, { updatedAt }: AlertRule, now: Millis): boolean {
  if (before === undefined || before.evaluatedAt < updatedAt) return true;
  // A time in the future comes from a worker with a wrong clock.
  return before.evaluatedAt + EVALUATE_EVERY_MS <= now || before.evaluatedAt > now;
}
