import fc from 'fast-check';
import { readCallItem } from '@app/events';
import { aStart, anEnd, endItem, startItem } from '../../../../test/support/records.js';
import { batchFacts, endedFact, startedFact, type IngestContext } from './call-facts.js';

const bytes = (body: unknown) =>
  Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

/** Ids and times that say where they come from. */
const NOW = Date.UTC(2026, 2, 2) * 1000;

function aReceipt(): IngestContext {
  let now = NOW;
  return { userId: 'ann', now: () => now++, newId: (index, what) => `new-${what}-${index}` };
}

const started = (start: object) => startedFact(bytes({ start }), aReceipt());
const ended = (end: object) => endedFact(bytes({ end }), aReceipt());
const batch = (...items: unknown[]) => batchFacts(bytes({ batch: items }), aReceipt());
const detailOf = (attempt: () => unknown) => {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return (error as { detail?: unknown }).detail;
  }
};

describe('a start', () => {
  it('becomes a fact with the bytes it was sent as, and is answered with its ids', () => {
    const text =
      '{ "project_id":"a/b","id":"c1","trace_id":"t1","op_name":"f",\n "started_at":"2026-03-01","attributes":{},"inputs":{"x":1.0} }';

    expect(startedFact(bytes(`{"start":${text}}`), aReceipt())).toEqual({
      fact: {
        kind: 'start',
        projectId: 'a/b',
        callId: 'c1',
        userId: 'ann',
        receivedAt: NOW,
        item: bytes(text),
        isOld: false,
      },
      answer: { id: 'c1', trace_id: 't1' },
    });
  });

  it.each([
    ['absent', {}],
    ['null', { id: null, trace_id: null }],
    ['empty', { id: '', trace_id: '' }],
  ])('gets ids when they are %s, and the fact remembers them', (_what, ids) => {
    const { id: _id, trace_id: _trace, ...without } = aStart();

    const { fact, answer } = started({ ...ids, ...without });

    expect(answer).toEqual({ id: 'new-call-0', trace_id: 'new-trace-0' });
    expect(fact.callId).toBe('new-call-0');
    expect(JSON.parse(fact.item.toString())).toMatchObject(answer);
    expect(readCallItem(fact.item)).toMatchObject(answer);
  });

  it('keeps the one id it brings', () => {
    const { fact, answer } = started(aStart({ id: 'c1', trace_id: null }));

    expect(answer).toEqual({ id: 'c1', trace_id: 'new-trace-0' });
    expect(readCallItem(fact.item)).toMatchObject(answer);
  });

  it('is refused with the place of every fault', () => {
    const faulty = aStart({ project_id: 'demo', op_name: undefined, inputs: [] });

    expect(detailOf(() => started(faulty))).toEqual([
      {
        loc: ['body', 'start', 'project_id'],
        msg: 'must have the form <entity>/<project>',
        type: 'matches',
      },
      { loc: ['body', 'start', 'op_name'], msg: 'Field required', type: 'missing' },
      { loc: ['body', 'start', 'inputs'], msg: 'must be a JSON object', type: 'isPayloadObject' },
    ]);
  });

  it.each(['{}', '{"end":{}}', '{"start":null}', '{"start":[]}', '{"start":"x"}', '[]', '5'])(
    'is not in %s',
    (body) => {
      expect(detailOf(() => startedFact(bytes(body), aReceipt()))).toEqual([
        expect.objectContaining({ loc: ['body', 'start'] }),
      ]);
    },
  );

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'is_eval'])(
    'may have a member called %s, which means nothing',
    (name) => {
      for (const value of ['null', '1', '{"project_id":"a/evil"}']) {
        const start = JSON.stringify(aStart({ project_id: 'a/b' })).slice(0, -1);
        const { fact } = startedFact(bytes(`{"start":${start},"${name}":${value}}}`), aReceipt());
        expect(fact.projectId).toBe('a/b');
      }
    },
  );

  it('belongs to the project that JSON.parse sees, however its key is spelt and repeated', () => {
    const spelt = fc.constantFrom(
      'project_id',
      '\\u0070roject_id',
      'project\\u005fid',
      '\\u0070\\u0072\\u006f\\u006a\\u0065\\u0063\\u0074_\\u0069\\u0064',
      'Project_id',
      'project_id ',
    );
    const members = fc.array(fc.tuple(spelt, fc.constantFrom('a/mine', 'a/victim', 'a/other')));
    const rest = JSON.stringify(aStart({ project_id: undefined })).slice(1, -1);

    fc.assert(
      fc.property(members, members, (before, after) => {
        const text = (some: typeof before) => some.map(([key, id]) => `"${key}":"${id}"`);
        const start = [...text(before), '"project_id":"a/mine"', rest, ...text(after)].join(', ');
        const seen = JSON.parse(`{${start}}`) as { project_id: string };

        const { fact } = startedFact(bytes(`{"start":{${start}}}`), aReceipt());

        expect(fact.projectId).toBe(seen.project_id);
        expect(readCallItem(fact.item)['project_id']).toBe(seen.project_id);
      }),
    );
  });
});

describe('an end', () => {
  it('becomes a fact with the bytes it was sent as, and is answered with nothing', () => {
    const end = anEnd({ project_id: 'a/b', id: 'c1', output: [1] });

    expect(ended(end)).toEqual({
      fact: {
        kind: 'end',
        projectId: 'a/b',
        callId: 'c1',
        userId: 'ann',
        receivedAt: NOW,
        item: bytes(end),
        isOld: false,
      },
      answer: {},
    });
  });

  it.each([{ id: null }, { id: '' }, { ended_at: 'later' }, { summary: null }, { exception: 5 }])(
    'is refused with %j',
    (fields) => {
      expect(detailOf(() => ended(anEnd(fields)))).toEqual([
        expect.objectContaining({ loc: ['body', 'end', Object.keys(fields)[0]] }),
      ]);
    },
  );
});

describe('a batch', () => {
  it('becomes one fact per item, in order, each received a little later', () => {
    const accepted = batch(
      startItem({ id: 'c1', trace_id: 't1' }),
      endItem({ id: 'c1' }),
      startItem({ id: null, trace_id: 't2' }),
    );

    expect(accepted.map(({ answer }) => answer)).toEqual([
      { id: 'c1', trace_id: 't1' },
      {},
      { id: 'new-call-2', trace_id: 't2' },
    ]);
    expect(accepted.map(({ fact }) => [fact.kind, fact.callId, fact.receivedAt])).toEqual([
      ['start', 'c1', NOW],
      ['end', 'c1', NOW + 1],
      ['start', 'new-call-2', NOW + 2],
    ]);
  });

  it('keeps what is wrong in it as it was sent, with the reason', () => {
    const wrong = startItem({
      project_id: 'a/b',
      id: 'c1',
      trace_id: 't1',
      started_at: 'yesterday',
    });

    const [first, second] = batch(wrong, endItem({ id: 'c2' }));

    expect(first).toEqual({
      fact: {
        kind: 'rejected',
        projectId: 'a/b',
        callId: 'c1',
        userId: 'ann',
        receivedAt: NOW,
        item: bytes(wrong),
        reason: expect.stringMatching(
          /^body\.batch\.0\.req\.start\.started_at: must be an ISO 8601/,
        ),
      },
      answer: { id: 'c1', trace_id: 't1' },
    });
    expect(second!.fact).toMatchObject({ kind: 'end', callId: 'c2' });
  });

  it('answers every start with ids and everything else with nothing, taken or not', () => {
    const bad = { started_at: 'yesterday' };
    const answers = batch(
      startItem({ id: 'c1', trace_id: 't1' }),
      startItem({ id: 'c2', trace_id: 't2', ...bad }),
      startItem({ id: null, trace_id: undefined, ...bad }),
      { mode: 'start' },
      endItem({ id: 'c3' }),
      endItem({ id: 'c4', ended_at: 'tomorrow' }),
      { mode: 'stop', req: { start: aStart({ id: 'c5' }) } },
      null,
    ).map(({ answer }) => answer);

    const none = { id: '', trace_id: '' };
    expect(answers).toEqual([
      ...[{ id: 'c1', trace_id: 't1' }, { id: 'c2', trace_id: 't2' }, none, none],
      ...[{}, {}, {}, {}],
    ]);
  });

  it('names projects and calls as every store can write them', () => {
    const facts = batch(
      startItem({ project_id: 'a/\ud800', id: '\ud800' }),
      startItem({ project_id: '\ud800', id: '\ud800' }),
    ).map(({ fact }) => fact);

    expect(facts).toMatchObject([
      { kind: 'start', projectId: 'a/\ufffd', callId: '\ufffd' },
      { kind: 'rejected', projectId: '', callId: '\ufffd' },
    ]);
  });

  it('goes on after whatever an item may be', () => {
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.record({ mode: fc.jsonValue(), req: fc.jsonValue() }),
      fc.record({
        mode: fc.constantFrom('start', 'end', 'START'),
        req: fc.record({ start: fc.jsonValue(), end: fc.jsonValue() }),
      }),
    );

    fc.assert(
      fc.property(fc.array(anything), (items) => {
        const accepted = batch(...items, endItem({ id: 'last' }));
        expect(accepted).toHaveLength(items.length + 1);
        expect(accepted.at(-1)!.fact).toMatchObject({ kind: 'end', callId: 'last' });
        expect(accepted.slice(0, -1).every(({ fact }) => fact.kind === 'rejected')).toBe(true);
      }),
    );
  });

  it('may be empty', () => {
    expect(batch()).toEqual([]);
  });

  it.each(['{}', '{"batch":null}', '{"batch":{}}', '{"batch":"x"}', '[]', '7'])(
    'is not in %s',
    (body) => {
      expect(detailOf(() => batchFacts(bytes(body), aReceipt()))).toEqual([
        expect.objectContaining({ loc: ['body', 'batch'] }),
      ]);
    },
  );

  it('asks for the same ids when it is sent again', () => {
    const items = [startItem({ id: null }), startItem({ trace_id: '' }), startItem()];

    expect(batch(...items)).toEqual(batch(...items));
  });
});
