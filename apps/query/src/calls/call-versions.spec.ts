import { newestVersion } from './call-versions.js';
import type { CallVersionRow } from './calls.sql.js';

const DELETED = 2n ** 62n;

function aVersion(version: bigint | number, fields: Partial<CallVersionRow> = {}): CallVersionRow {
  const call = { id: 'c1', project_id: 'acme/demo', trace_id: 't1', op_name: 'op' };
  return { ...call, started: 1000, version: String(version), is_deleted: 0, ...fields };
}

describe('the visible version of a call', () => {
  it('is the newest one, also where versions are larger than a number can be', () => {
    const rows = [aVersion(DELETED + 1n), aVersion(DELETED + 3n), aVersion(DELETED + 2n)];

    expect(newestVersion(rows)).toBe(rows[1]);
  });

  it('does not exist when the newest one is deleted, or when there are none', () => {
    expect(newestVersion([aVersion(2), aVersion(DELETED + 1n, { is_deleted: 1 })])).toBeUndefined();
    expect(newestVersion([])).toBeUndefined();
  });

  it('is at the start time to which the call has moved', () => {
    const moved = aVersion(2, { started: '900' });
    const rows = [aVersion(1), aVersion(2, { is_deleted: 1 }), moved];

    expect(newestVersion(rows)).toBe(moved);
  });

  it('is the one that is not deleted when a placement differs only in the trace', () => {
    const moved = aVersion(2, { trace_id: 't2' });

    expect(newestVersion([aVersion(2, { is_deleted: '1' }), moved])).toBe(moved);
    expect(newestVersion([moved, aVersion(2, { is_deleted: '1' })])).toBe(moved);
  });
});
