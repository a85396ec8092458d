import { conditionText, stateText, valueText } from './alert-text.js';

const none = { threshold: null, percentile: null, window_minutes: null, op: null };

describe('the text of an alert rule', () => {
  it('says what it watches and when it fires', () => {
    expect(
      conditionText({
        ...none,
        ...{ kind: 'latency', threshold: '2000', percentile: 95, window_minutes: 15, op: 'f' },
      }),
    ).toBe('Latency (p95) of f over 2000 ms in 15 minutes');
    expect(conditionText({ ...none, kind: 'cost', threshold: '0.1' })).toBe(
      'Cost of the day (UTC) over $0.1',
    );
    expect(conditionText({ ...none, kind: 'no_data', window_minutes: 5 })).toBe(
      'No calls in 5 minutes',
    );
  });

  it('shows a value with all its digits, and its state', () => {
    expect(valueText({ kind: 'cost', value: '0.000000000000000001' })).toBe(
      '$0.000000000000000001',
    );
    expect(valueText({ kind: 'error_rate', value: null })).toBe('–');
    expect([stateText('no_data'), stateText(null)]).toEqual(['no data', 'not evaluated yet']);
  });
});
