import type { CallPreview } from '../api/types.js';
import { csvOf } from './export.js';

const call = (fields: Partial<CallPreview>): CallPreview => ({
  id: 'c',
  trace_id: 't',
  parent_id: null,
  op_name: 'weave:///a/b/op/f:x',
  display_name: null,
  started_at: '2026-03-01T10:00:00Z',
  ended_at: null,
  status: 'success',
  latency_ms: 12,
  wb_user_id: null,
  thread_id: null,
  exception: null,
  inputs: { text: '{"a":1}', bytes: 7 },
  output: { text: 'null', bytes: 4 },
  tokens: 0,
  cost: -0.5,
  feedback: 0,
  ...fields,
});

describe('the CSV of a list', () => {
  it('has the columns of the list with exact values, quoted where needed', () => {
    expect(csvOf([call({})], [{ id: 'latency' }, { id: 'input' }, { id: 'cost' }])).toBe(
      'op,latency,input,cost\r\nf,12,"{""a"":1}",-0.5\r\n',
    );
  });

  it('never starts a cell like a formula', () => {
    expect(csvOf([call({ exception: '=HYPERLINK("x")' })], [{ id: 'exception' }])).toContain(
      `"'=HYPERLINK(""x"")"`,
    );
  });
});
