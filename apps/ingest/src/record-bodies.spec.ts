import { admin } from '@app/auth';
import { micros } from '@app/wire';
import { aSpan } from '../../../test/support/records.js';
import { readDataset } from './objects/read-dataset.js';
import { readObject } from './objects/read-object.js';
import { readSpans } from './otel/read-spans.js';
import { readDigestTable, readEdit, readTable } from './tables/read-table.js';

const ann = admin('ann');
const now = micros(Date.UTC(2026, 2, 2) * 1000);
const bytes = (body: unknown) => Buffer.from(JSON.stringify(body));
const project_id = 'acme/demo';
const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

describe('the body of a record', () => {
  it('of an object becomes a fact with its digest', () => {
    const body = bytes({ obj: { project_id, object_id: 'o', val: { a: 1 } } });

    expect(readObject(body, ann, now)).toMatchObject({
      projectId: project_id,
      userId: 'ann',
      receivedAt: now,
      data: { objectId: 'o', digest: expect.stringMatching(/^\w{43}$/) },
      body: Buffer.from('{"a":1}'),
    });
  });

  it('of a table has at most 100,000 rows', () => {
    const table = (count: number) => bytes({ table: { project_id, rows: rows(count) } });

    expect(readTable(table(3), ann, now)).toMatchObject({
      projectId: project_id,
      parts: [[[{}, {}]]],
    });
    expect(() => readTable(table(100_001), ann, now)).toThrow(
      'rows has more than 100000 elements; send it in parts.',
    );
  });

  it('of a dataset becomes the table of its rows', () => {
    const context = { projectId: project_id, userId: 'ann', receivedAt: now };
    const { digest } = readTable(bytes({ table: { project_id, rows: rows(3) } }), ann, now);

    expect(readDataset(bytes({ name: 'd', rows: rows(3) }), context)).toMatchObject({
      record: { name: 'd', description: null },
      table: { projectId: project_id, digest },
    });
    expect(() => readDataset(bytes({ rows: [1] }), context)).toThrow('must be a JSON object');
  });

  it('of a table made from digests returns no list, because the client has it', () => {
    const { rowDigests } = readTable(bytes({ table: { project_id, rows: rows(3) } }), ann, now);

    expect(readDigestTable(bytes({ project_id, row_digests: rowDigests }), ann, now)).toMatchObject(
      { digest: expect.stringMatching(/^[0-9a-f]{64}$/), rowDigests: [] },
    );
  });

  it('of an edit has at most 20,000 updates', () => {
    const edit = (count: number) =>
      bytes({
        project_id,
        base_digest: 'd',
        updates: Array.from({ length: count }, () => ({ pop: { index: 0 } })),
      });

    expect(readEdit(edit(2), ann, now).updates).toHaveLength(2);
    expect(() => readEdit(edit(20_001), ann, now)).toThrow(
      'updates has more than 20000 elements; send it in parts.',
    );
  });

  it('of a trace has at most 20,000 spans', () => {
    const trace = (count: number) =>
      bytes({ resourceSpans: [{ scopeSpans: [{ spans: Array(count).fill(aSpan()) }] }] });
    const context = { userId: 'ann', addsOnly: false, retryId: undefined, now, redactKeys: [] };
    const read = (count: number) => readSpans(trace(count), true, project_id, context);

    expect(read(2).facts).toHaveLength(2);
    expect(() => read(20_001)).toThrow('The request has more than 20000 spans; send it in parts.');
  });
});
