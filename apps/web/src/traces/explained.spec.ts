import { slowHint, workOf } from './explained.js';

describe('the work behind a list', () => {
  it('is the sum of all statements, with every index once', () => {
    const lines = [
      '  Indexes:',
      '    PrimaryKey',
      '    Skip',
      '      Name: by_op',
      '      Parts: 1/1',
    ];
    const one = { sql: '', rows_read: 10, bytes_read: 5, elapsed_ms: 1, indexes: lines };

    expect(workOf([one, { ...one, indexes: ['    PrimaryKey'] }])).toEqual({
      rows: 20,
      bytes: 10,
      indexes: ['primary key', 'by_op'],
    });
  });

  it('comes with a hint only when it was slow, and the hint is about the cause', () => {
    const list = { hasRange: false, searchesText: false, isSortedByTime: true };

    expect(slowHint(900, list)).toBeUndefined();
    expect(slowHint(1100, list)).toContain('time range');
    expect(slowHint(1100, { ...list, searchesText: true })).toContain('every payload');
    expect(slowHint(1100, { ...list, isSortedByTime: false })).toContain('sort by Started');
  });
});
