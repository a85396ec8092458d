import { TABLE_NAMES } from '@app/clickhouse';
import { TABLE_GROUPS } from './table-groups.js';

describe('the tables of a backup', () => {
  it('are all tables, each once', () => {
    const copied = TABLE_GROUPS.flatMap(({ tables }) => [...tables]);
    expect([...copied].sort()).toEqual([...TABLE_NAMES].sort());
  });

  it('are copied in the reverse order of their writing', () => {
    const order = TABLE_GROUPS.map(({ tables }) => tables as readonly string[]);
    const at = (table: string) => order.findIndex((tables) => tables.includes(table));
    const written = ['files', 'call_events', 'root_usage', 'calls', 'receipts'];
    expect(written.map(at)).toEqual([...written.map(at)].sort((a, b) => b - a));
    expect(at('receipt_totals')).toBeGreaterThan(at('receipts'));
  });
});
