import { millis } from '@app/wire';
import { changedRule, newRule } from './alert-request.js';
import { EVENTS_MAX, nextStatus, type AlertState, type AlertStatus } from './alert-rule.js';
import { afterAttempt, ATTEMPTS_MAX } from './delivery.js';
import { signatureOf } from './webhook.js';

const NOW = millis(1_000_000);

/** The status after these states, one after the other. */
const after = (...states: AlertState[]) =>
  states.reduce<AlertStatus | undefined>(
    (status, state) =>
      nextStatus(status, { state, value: '1', message: null }, { hasWebhook: true, now: NOW }),
    undefined,
  )!;

const sent = ({ events }: AlertStatus) =>
  events.filter(({ delivery }) => delivery !== null).map(({ to }) => to);

describe('the status of an alert rule', () => {
  it('is sent when it fires and when that ends, once each', () => {
    expect(sent(after('ok', 'firing', 'firing', 'ok', 'ok'))).toEqual(['ok', 'firing']);
    expect(sent(after('ok'))).toEqual([]);
    expect(sent(after('firing'))).toEqual(['firing']);
  });

  it('is not sent again after a gap in the data, nor resolved by one', () => {
    expect(sent(after('firing', 'no_data', 'firing'))).toEqual(['firing']);
    expect(sent(after('firing', 'error', 'ok'))).toEqual(['ok', 'firing']);
    expect(sent(after('no_data', 'ok'))).toEqual([]);
  });

  it('remembers every change, and only the newest', () => {
    const states = Array.from({ length: 200 }, (_, i): AlertState => (i % 2 ? 'ok' : 'firing'));

    expect(after(...states).events).toHaveLength(EVENTS_MAX);
    expect(after('ok', 'no_data').events.map(({ from, to }) => [from, to])).toEqual([
      ['ok', 'no_data'],
      [null, 'ok'],
    ]);
  });
});

describe('the delivery of a change', () => {
  it('is repeated with longer and longer pauses, and then given up', () => {
    let delivery = after('firing').events[0]!.delivery!;
    const pauses: number[] = [];
    while (delivery.status === 'pending') {
      delivery = afterAttempt(delivery, { error: 'no', isRetriable: true }, NOW);
      if (delivery.nextAt !== null) pauses.push(delivery.nextAt - NOW);
    }

    expect(delivery).toEqual({
      status: 'failed',
      attempts: ATTEMPTS_MAX,
      nextAt: null,
      error: 'no',
    });
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
  });

  it('has the signature of the specification of Standard Webhooks', () => {
    // The example of the specification.
    expect(
      signatureOf(
        'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        'msg_p5jXN8AQM9LWM0D4loKWxJek',
        1614265330,
        '{"test": 2432232314}',
      ),
    ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

describe('an alert rule', () => {
  it('keeps what a change does not name, and its secret unless a new one is requested', () => {
    const rule = newRule(
      'latency',
      { name: 'slow', threshold: 1e-7, webhookUrl: 'https://example.com/x' },
      'ann',
      NOW,
    );
    const renamed = changedRule(rule, { name: 'slower' }, NOW);

    expect(rule).toMatchObject({ threshold: '0.0000001', percentile: 95, windowMinutes: 15 });
    expect(renamed).toEqual({ ...rule, name: 'slower' });
    expect(changedRule(rule, { rotatesSecret: true }, NOW).webhook!.secret).not.toBe(
      rule.webhook!.secret,
    );
    expect(changedRule(rule, { webhookUrl: '' }, NOW).webhook).toBeNull();
  });

  it.each([
    ['error_rate', { name: 'a' }, 'threshold is missing'],
    ['no_data', { name: 'a', threshold: 1 }, 'no threshold'],
    ['cost', { name: 'a', threshold: 1, op: 'f' }, 'no op'],
    ['dead_letters', { name: 'a', threshold: 1, windowMinutes: 5 }, 'no window_minutes'],
    ['error_rate', { name: 'a', threshold: 1, percentile: 95 }, 'no percentile'],
    ['cost', { name: 'a', threshold: 1e-20 }, 'decimals'],
  ] as const)('of the kind %s refuses %j', (kind, request, reason) => {
    expect(() => newRule(kind, request, 'ann', NOW)).toThrow(reason);
  });
});
