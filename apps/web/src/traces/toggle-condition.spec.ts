import { field, literal } from '@app/query-language/text';
import { hasCondition, toggleCondition } from './toggle-condition.js';
import { listRequest, rangeOf } from './traces-query.js';

const isError = { $eq: [field('summary.weave.status'), literal('error')] };

describe('a condition that a click adds', () => {
  it('joins the filter with and, and leaves it with a second click', () => {
    const added = toggleCondition('latency > 2s', isError);

    expect(added).toBe('latency > 2s and status = error');
    expect(hasCondition(added, isError)).toBe(true);
    expect(toggleCondition(added, isError)).toBe('latency > 2s');
    expect(toggleCondition('status = error', isError)).toBe('');
  });

  it('keeps the meaning of an alternative', () => {
    expect(toggleCondition('user = a or user = b', isError)).toBe(
      '(user = a or user = b) and status = error',
    );
  });
});

describe('the request of the list', () => {
  const now = Date.parse('2026-03-02T10:00:00Z');

  it('contains the filter, the time range and the order of the address', () => {
    expect(listRequest('a/b', { q: 'user = f', last: '1h', sort: 'ended_at' }, now)).toEqual({
      project_id: 'a/b',
      filter: { trace_roots_only: true },
      query: {
        $expr: {
          $and: [
            { $eq: [field('wb_user_id'), literal('f')] },
            { $gte: [field('started_at'), literal('2026-03-02T09:00:00.000Z')] },
          ],
        },
      },
      sort_by: [{ field: 'ended_at', direction: 'asc' }],
    });
  });

  it('shows the newest traces first without any setting, and all calls on request', () => {
    expect(listRequest('a/b', {}, now)).toEqual({
      project_id: 'a/b',
      filter: { trace_roots_only: true },
      sort_by: [{ field: 'started_at', direction: 'desc' }],
    });
    expect(listRequest('a/b', { calls: 'all' }, now).filter).toEqual({});
  });

  it('ignores dates that are none', () => {
    expect(rangeOf({ from: 'yesterday', to: '2026-03-01' }, now)).toEqual({ end: '2026-03-01' });
  });
});
