import { randomUUID } from 'node:crypto';
import { HeddleError } from '@app/errors';
import { decimalText, type Millis } from '@app/wire';
import type { AlertCondition, AlertKind, AlertRule, Webhook } from './alert-rule.js';
import { newWebhookSecret } from './webhook.js';

/** A rule whose parts do not fit each other. */
class InvalidRuleError extends HeddleError {
  readonly code = 'invalid_request';
}

const WINDOW_MINUTES = 15;
const PERCENTILE = 95;
/** More decimals than any price has. */
const DECIMALS_MAX = 18;

/** The parts of a request for a new rule, or the changed parts of a rule. Absent and null mean the same. */
export interface RuleRequest {
  readonly name?: string | null | undefined;
  readonly threshold?: number | null | undefined;
  readonly percentile?: number | null | undefined;
  readonly windowMinutes?: number | null | undefined;
  readonly op?: string | null | undefined;
  readonly isEnabled?: boolean | null | undefined;
  /** An empty text removes the webhook. */
  readonly webhookUrl?: string | null | undefined;
  readonly rotatesSecret?: boolean | null | undefined;
}

export function newRule(
  kind: AlertKind,
  request: RuleRequest & { readonly name: string },
  by: string,
  now: Millis,
): AlertRule {
  return {
    id: randomUUID(),
    ...conditionOf(kind, request, undefined),
    webhook: webhookOf(request, null),
    createdAt: now,
    createdBy: by,
    updatedAt: now,
  };
}

export const changedRule = (rule: AlertRule, request: RuleRequest, now: Millis): AlertRule => ({
  ...rule,
  ...conditionOf(rule.kind, request, rule),
  webhook: webhookOf(request, rule.webhook),
  updatedAt: now,
});

function conditionOf(
  kind: AlertKind,
  request: RuleRequest,
  before: AlertRule | undefined,
): AlertCondition {
  const isOfCalls = kind === 'error_rate' || kind === 'latency' || kind === 'no_data';
  refuseUnused(
    request,
    {
      threshold: kind !== 'no_data',
      percentile: kind === 'latency',
      windowMinutes: isOfCalls,
      op: isOfCalls,
    },
    kind,
  );
  return {
    name: request.name ?? before?.name ?? '',
    kind,
    threshold: kind === 'no_data' ? null : thresholdOf(request.threshold, before),
    percentile:
      kind === 'latency' ? (request.percentile ?? before?.percentile ?? PERCENTILE) : null,
    windowMinutes: isOfCalls
      ? (request.windowMinutes ?? before?.windowMinutes ?? WINDOW_MINUTES)
      : null,
    // An empty text removes the condition.
    op: isOfCalls ? (request.op ?? before?.op ?? '') || null : null,
    isEnabled: request.isEnabled ?? before?.isEnabled ?? true,
  };
}

type Part = 'threshold' | 'percentile' | 'windowMinutes' | 'op';
const NAMES = {
  threshold: 'threshold',
  percentile: 'percentile',
  windowMinutes: 'window_minutes',
  op: 'op',
};

/** A part that the kind has no use for would be ignored silently. */
function refuseUnused(request: RuleRequest, uses: Record<Part, boolean>, kind: AlertKind): void {
  for (const part of Object.keys(uses) as Part[]) {
    if (!uses[part] && request[part] !== null && request[part] !== undefined)
      throw new InvalidRuleError(`A rule of the kind ${kind} has no ${NAMES[part]}.`);
  }
}

function thresholdOf(given: number | null | undefined, before: AlertRule | undefined): string {
  const text = given === null || given === undefined ? before?.threshold : decimalText(given);
  if (text === undefined || text === null)
    throw new InvalidRuleError('threshold is missing: the rule fires while the value is greater.');
  const decimals = text.split('.')[1]?.length ?? 0;
  if (decimals > DECIMALS_MAX)
    throw new InvalidRuleError(`threshold has more than ${DECIMALS_MAX} decimals.`);
  return text;
}

function webhookOf({ webhookUrl, rotatesSecret }: RuleRequest, before: Webhook | null) {
  if (webhookUrl === '') return null;
  const url = webhookUrl ?? before?.url;
  if (url === undefined) return null;
  const keepsSecret = before !== null && rotatesSecret !== true;
  return { url, secret: keepsSecret ? before.secret : newWebhookSecret() };
}
