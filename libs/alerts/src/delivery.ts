import { millis, type Millis } from '@app/wire';
import type { Delivery } from './alert-rule.js';
import type { WebhookResult } from './webhook.js';

/** The pauses before the second attempt, the third and so on. */
const PAUSES_MS = [10_000, 60_000, 300_000, 1_800_000, 7_200_000];
export const ATTEMPTS_MAX = PAUSES_MS.length + 1;

/** The delivery after an attempt: another one follows, unless it succeeded, could not succeed or was the last. */
export function afterAttempt(
  { attempts }: Delivery,
  { error, isRetriable }: Pick<WebhookResult, 'error' | 'isRetriable'>,
  now: Millis,
): Delivery {
  const made = attempts + 1;
  if (error === null) return { status: 'delivered', attempts: made, nextAt: null, error };
  const pause = PAUSES_MS[attempts];
  if (!isRetriable || pause === undefined)
    return { status: 'failed', attempts: made, nextAt: null, error };
  return { status: 'pending', attempts: made, nextAt: millis(now + pause), error };
}
