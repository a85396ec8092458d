import { micros } from '@app/wire';
import { aStart, anEnd, endItem, startItem } from '../../../../test/support/records.js';
import { BATCH_MAX } from './batch-bounds.js';
import { readCalls, redactionOf, type CallOperation } from './read-calls.js';

const context = {
  userId: 'ann',
  addsOnly: false,
  retryId: undefined,
  now: micros(Date.UTC(2026, 2, 2) * 1000),
  redactKeys: ['*apikey'],
};

const read = (batch: readonly unknown[], operation: CallOperation = 'upsert_batch') =>
  readCalls(Buffer.from(JSON.stringify({ batch })), operation, context);

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const refusal = (attempt: () => unknown) => {
  try {
    attempt();
    return undefined;
  } catch (error) {
    const { status, message } = error as { status: number; message: string };
    return `${status} ${message}`;
  }
};

describe('a batch', () => {
  it('may have 20,000 items, and is refused before it is read when it has more', () => {
    const items = (count: number, item: string) =>
      Buffer.from(`{"batch":[${many(count, () => item).join()}]}`);

    for (const item of ['1', '{"id":[]}']) {
      const read = (count: number) => readCalls(items(count, item), 'complete', context);
      expect(refusal(() => read(BATCH_MAX.items + 1))).toBe(
        '413 batch has more than 20000 elements; send it in parts.',
      );
      expect(refusal(() => read(BATCH_MAX.items))).toMatch(/^422/);
    }
  });

  it('may name 100 projects', () => {
    const inProjects = (count: number) =>
      many(count, (i) => startItem({ project_id: `acme/p${i}` }));

    expect(read(inProjects(100)).facts).toHaveLength(100);
    expect(refusal(() => read(inProjects(101)))).toBe(
      '413 batch names more than 100 projects; send it in parts.',
    );
  });

  it('may have the usage of 1,000 models, counted over all its calls', () => {
    const usageOf = (from: number, count: number) => ({
      usage: Object.fromEntries(many(count, (i) => [`model-${from + i}`, { requests: 1 }])),
    });
    const ends = (more: number) => [
      endItem({ summary: usageOf(0, 600) }),
      endItem({ summary: usageOf(300, 700 + more) }),
    ];
    const sentence = '413 batch has the usage of more than 1000 models; send it in parts.';

    expect(read(ends(0)).facts).toHaveLength(2);
    expect(refusal(() => read(ends(1)))).toBe(sentence);
    const whole = { ...aStart(), ...anEnd({ summary: usageOf(0, 1001) }) };
    expect(refusal(() => read([whole], 'complete'))).toBe(sentence);
    expect(read([endItem({ summary: { usage: [1] } })]).facts).toHaveLength(1);
  });

  it('is refused as a whole when more than 1,000 of its items are invalid', () => {
    expect(read(many(1000, () => 1)).responses).toHaveLength(1000);
    expect(refusal(() => read([startItem(), ...many(1001, () => 1)]))).toMatch(
      /^422 .*more than 1000 items are invalid, so nothing of the batch is stored/,
    );
  });

  it('puts all items that name no project into one dead letter, and others into their own', () => {
    const named = { mode: 'start', req: { start: { ...aStart(), trace_id: 7 } } };

    const { facts, responses } = read([7, startItem(), null, named, 'x']);

    expect(responses).toHaveLength(5);
    expect(facts.map(({ kind, projectId }) => [kind, projectId])).toEqual([
      ['start', 'acme/demo'],
      ['rejected', 'acme/demo'],
      ['rejected', ''],
    ]);
    expect(facts[2]!.item.toString()).toBe('[7,null,"x"]');
    expect(facts[2]).toMatchObject({
      reason: expect.stringMatching(/^3 items name no valid project; the first: .*batch\.0/),
    });
  });

  it('is redacted by the same rules as the batches before it, whose list of names was another copy', () => {
    expect(redactionOf(['*apikey', 'pin'])).toBe(redactionOf(['*apikey', 'pin']));
    expect(redactionOf(['*apikey'])).not.toBe(redactionOf(['*apikey', 'pin']));
  });

  it('is redacted', () => {
    const { facts } = read([startItem({ inputs: { my_api_key: 'secret' } })]);

    expect(facts[0]!.item.toString()).toContain('"my_api_key":"REDACTED"');
  });
});

describe('the members of calls that are ignored', () => {
  const ignoredIn = (body: object, operation: CallOperation) =>
    readCalls(Buffer.from(JSON.stringify(body)), operation, context).ignored;

  it('are named by the path of the first of each name', () => {
    const batch = [
      startItem({}),
      { ...startItem({ colour: 'red' }), trace: 1 },
      endItem({ colour: 'blue', sumary: {} }),
      { mode: 'end', req: { end: anEnd({}), start_: {} } },
    ];

    expect(ignoredIn({ batch, size: 4 }, 'upsert_batch')).toEqual([
      'batch.1.trace',
      'batch.1.req.start.colour',
      'batch.2.req.end.sumary',
      'batch.3.req.start_',
      'size',
    ]);
    expect(ignoredIn({ start: { ...aStart({}), colour: 1 } }, 'start')).toEqual(['start.colour']);
    expect(ignoredIn({ end: { ...anEnd({}), colour: 1 }, x: 1 }, 'end')).toEqual([
      'x',
      'end.colour',
    ]);
  });

  it('are none when every member is read, whatever the payloads contain', () => {
    const batch = [startItem({ attributes: { own: 1 }, inputs: { __proto__: 1 } }), endItem({})];

    expect(ignoredIn({ batch }, 'upsert_batch')).toEqual([]);
  });

  it('are at most ten, with short names', () => {
    const names = Object.fromEntries(many(50, (i) => [`${i}`.repeat(500), i]));
    const ignored = ignoredIn({ start: { ...aStart({}), ...names } }, 'start');

    expect(ignored).toHaveLength(10);
    expect(Math.max(...ignored.map((path) => path.length))).toBeLessThan(120);
  });
});
