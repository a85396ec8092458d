import { compared, savedTables } from './table-checksums.js';

const table = (name: string, rows: number, checksum = String(rows)) => ({ name, rows, checksum });

describe('the comparison of a restored table', () => {
  it('expects the same rows of a table that did not change while it was copied', () => {
    const [saved] = savedTables([table('calls', 2)], [table('calls', 2)]);
    expect(compared(saved!, table('calls', 2))).toBe('equal');
    expect(compared(saved!, table('calls', 3))).toBe('different');
    expect(compared(saved!, table('calls', 2, 'other'))).toBe('different');
    expect(compared(saved!, undefined)).toBe('different');
  });

  it('accepts newer rows of a table that changed, but no fewer facts', () => {
    const [calls, log] = savedTables(
      [table('calls', 2), table('call_events', 4)],
      [table('calls', 3), table('call_events', 6)],
    );
    expect(compared(calls!, table('calls', 1))).toBe('newer');
    expect(compared(log!, table('call_events', 5))).toBe('newer');
    expect(compared(log!, table('call_events', 3))).toBe('different');
  });
});
