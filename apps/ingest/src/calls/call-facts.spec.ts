import fc from 'fast-check';
import { readCallItem } from '@app/events';
import { micros } from '@app/wire';
import { aStart, anEnd, endItem, startItem } from '../../../../test/support/records.js';
import {
  batchFacts,
  clampedTimes,
  endedFact,
  startedFact,
  type IngestContext,
} from './call-facts.js';

const bytes = (body: unknown) =>
  Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

const NOW = Date.UTC(2026, 2, 2) * 1000;

function aContext(): IngestContext {
  let now = NOW;
  return {
    userId: 'ann',
    addsOnly: false,
    now: () => micros(now++),
    newId: (index, kind) => `new-${kind}-${index}`,
  };
}

const started = (start: object) => startedFact(bytes({ start }), aContext());
const ended = (end: object) => endedFact(bytes({ end }), aContext());
const batch = (...items: unknown[]) => batchFacts(bytes({ batch: items }), aContext());
const detailOf = (attempt: () => unknown) => {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return (error as { detail?: unknown }).detail;
  }
};

describe('a start', () => {
  it('becomes a fact with the bytes it was sent as, and the response has its ids', () => {
    const text =
      '{ "project_id":"a/b","id":"c1","trace_id":"t1","op_name":"f",\n "started_at":"2026-03-01","attributes":{},"inputs":{"x":1.0} }';

    expect(startedFact(bytes(`{"start":${text}}`), aContext())).toEqual({
      fact: {
        kind: 'start',
        projectId: 'a/b',
        callId: 'c1',
        userId: 'ann',
        addsOnly: false,
        receivedAt: NOW,
        item: bytes(text),
        isOld: false,
      },
      response: { id: 'c1', trace_id: 't1' },
    });
  });

  it.each([
    ['absent', {}],
    ['null', { id: null, trace_id: null }],
    ['empty', { id: '', trace_id: '' }],
  ])('gets ids when they are %s, and the fact has them too', (_what, ids) => {
    const { id: _id, trace_id: _trace, ...without } = aStart();
    const { fact, response } = started({ ...ids, ...without });

    expect(response).toEqual({ id: 'new-call-0', trace_id: 'new-trace-0' });
    expect(fact.callId).toBe('new-call-0');
    expect(JSON.parse(fact.item.toString())).toMatchObject(response);
    expect(readCallItem(fact.item)).toMatchObject(response);
  });

  it('has the id that the client sent', () => {
    const { fact, response } = started(aStart({ id: 'c1', trace_id: null }));

    expect(response).toEqual({ id: 'c1', trace_id: 'new-trace-0' });
    expect(readCallItem(fact.item)).toMatchObject(response);
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
      expect(detailOf(() => startedFact(bytes(body), aContext()))).toEqual([
        expect.objectContaining({ loc: ['body', 'start'] }),
      ]);
    },
  );

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'is_eval'])(
    'may have a member called %s, which is ignored',
    (name) => {
      for (const value of ['null', '1', '{"project_id":"a/evil"}']) {
        const start = JSON.stringify(aStart({ project_id: 'a/b' })).slice(0, -1);
        const { fact } = startedFact(bytes(`{"start":${start},"${name}":${value}}}`), aContext());
        expect(fact.projectId).toBe('a/b');
      }
    },
  );

  it('belongs to the project that JSON.parse finds, whatever the spelling and number of its keys', () => {
    const spelling = fc.constantFrom(
      ...['project_id', '\\u0070roject_id', 'project\\u005fid', 'Project_id', 'project_id '],
      '\\u0070\\u0072\\u006f\\u006a\\u0065\\u0063\\u0074_\\u0069\\u0064',
    );
    const members = fc.array(fc.tuple(spelling, fc.constantFrom('a/mine', 'a/victim', 'a/other')));
    const rest = JSON.stringify(aStart({ project_id: undefined })).slice(1, -1);

    fc.assert(
      fc.property(members, members, (before, after) => {
        const text = (some: typeof before) => some.map(([key, id]) => `"${key}":"${id}"`);
        const start = [...text(before), '"project_id":"a/mine"', rest, ...text(after)].join(', ');
        const parsed = JSON.parse(`{${start}}`) as { project_id: string };

        const { fact } = startedFact(bytes(`{"start":{${start}}}`), aContext());

        expect(fact.projectId).toBe(parsed.project_id);
        expect(readCallItem(fact.item)['project_id']).toBe(parsed.project_id);
      }),
    );
  });
});

describe('an end', () => {
  it('becomes a fact with the bytes it was sent as, and the response is empty', () => {
    const end = anEnd({ project_id: 'a/b', id: 'c1', output: [1] });

    expect(ended(end)).toEqual({
      fact: {
        kind: 'end',
        projectId: 'a/b',
        callId: 'c1',
        userId: 'ann',
        addsOnly: false,
        receivedAt: NOW,
        item: bytes(end),
        isOld: false,
      },
      response: {},
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
  it.each([
    [{ api_key: 'sk-1' }, 'an object'],
    [['sk-1'], 'a list'],
    [undefined, 'nothing'],
    [null, 'null'],
    ['begin', '"begin"'],
    ['x'.repeat(100), `"${'x'.repeat(59)}`],
  ])('says no more of a wrong mode than the reason may have: %j', (mode, shown) => {
    const [accepted] = batch({ mode, req: { start: aStart() } });

    expect(accepted!.fact).toMatchObject({
      kind: 'rejected',
      reason: `body.batch.0.mode: must be "start" or "end", not ${shown}`,
    });
  });

  it('becomes one fact per item, in order, each received later than the one before', () => {
    const accepted = batch(
      startItem({ id: 'c1', trace_id: 't1' }),
      endItem({ id: 'c1' }),
      startItem({ id: null, trace_id: 't2' }),
    );

    expect(accepted.map(({ response }) => response)).toEqual([
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

  it('turns an invalid item into a rejected fact with its bytes and the reason', () => {
    const ids = { project_id: 'a/b', id: 'c1', trace_id: 't1' };
    const invalid = startItem({ ...ids, started_at: 'yesterday' });

    const [first, second] = batch(invalid, endItem({ id: 'c2' }));

    expect(first).toEqual({
      fact: {
        kind: 'rejected',
        projectId: 'a/b',
        callId: 'c1',
        userId: 'ann',
        addsOnly: false,
        receivedAt: NOW,
        item: bytes(invalid),
        reason: expect.stringMatching(
          /^body\.batch\.0\.req\.start\.started_at: must be an ISO 8601/,
        ),
      },
      response: { id: 'c1', trace_id: 't1' },
    });
    expect(second!.fact).toMatchObject({ kind: 'end', callId: 'c2' });
  });

  it('responds to every start with ids and to other items with nothing, accepted or not', () => {
    const bad = { started_at: 'yesterday' };
    const responses = batch(
      startItem({ id: 'c1', trace_id: 't1' }),
      startItem({ id: 'c2', trace_id: 't2', ...bad }),
      startItem({ id: null, trace_id: undefined, ...bad }),
      { mode: 'start' },
      endItem({ id: 'c3' }),
      endItem({ id: 'c4', ended_at: 'tomorrow' }),
      { mode: 'stop', req: { start: aStart({ id: 'c5' }) } },
      null,
    ).map(({ response }) => response);

    const none = { id: '', trace_id: '' };
    expect(responses).toEqual([
      ...[{ id: 'c1', trace_id: 't1' }, { id: 'c2', trace_id: 't2' }, none, none],
      ...[{}, {}, {}, {}],
    ]);
  });

  it('has well-formed project and call ids', () => {
    const facts = batch(
      startItem({ project_id: 'a/\ud800', id: '\ud800' }),
      startItem({ project_id: '\ud800', id: '\ud800' }),
    ).map(({ fact }) => fact);

    expect(facts).toMatchObject([
      { kind: 'start', projectId: 'a/\ufffd', callId: '\ufffd' },
      { kind: 'rejected', projectId: '', callId: '\ufffd' },
    ]);
  });

  it('accepts the items after an invalid one', () => {
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
      expect(detailOf(() => batchFacts(bytes(body), aContext()))).toEqual([
        expect.objectContaining({ loc: ['body', 'batch'] }),
      ]);
    },
  );

  it('gets the same ids when it is sent again', () => {
    const items = [startItem({ id: null }), startItem({ trace_id: '' }), startItem()];

    expect(batch(...items)).toEqual(batch(...items));
  });
});

describe('the times of a record', () => {
  const now = micros(Date.UTC(2026, 2, 1) * 1000);

  it('stay as they are when they are plausible', () => {
    const times = { started_at: '2026-02-28T10:00:00.5Z', ended_at: '2026-03-01T23:00:00Z' };
    expect(clampedTimes(times, now).corrected).toEqual({});
    expect(clampedTimes({ started_at: null }, now).corrected).toEqual({});
  });

  it('are moved to 2000 or to the end of tomorrow when the clock of the client is wrong', () => {
    const times = { started_at: '1815-12-10T00:00:00Z', ended_at: '9999-01-01T00:00:00Z' };
    expect(clampedTimes(times, now).corrected).toEqual({
      started_at: '2000-01-01T00:00:00.000000Z',
      ended_at: '2026-03-03T00:00:00.000000Z',
    });
  });

  it('are corrected in the same way when a record is sent again later in the day', () => {
    const times = { started_at: '2026-03-02T18:00:00Z', ended_at: '9999-01-01T00:00:00Z' };
    const corrections = [0, 1, 3_600_000_000, 86_399_999_999].map(
      (later) => clampedTimes(times, micros(now + later)).corrected,
    );
    expect(new Set(corrections.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(corrections[0]).not.toHaveProperty('started_at');
  });

  it.each([
    ['2026-03-01T10:00:00Z', false],
    ['2026-02-01T00:00:00Z', false],
    ['2026-01-31T23:59:59.999999Z', true],
    ['1815-12-10T00:00:00Z', true],
    [null, false],
  ])('make a call that started at %s old: %s', (started_at, isOld) => {
    expect(clampedTimes({ started_at, ended_at: '2026-01-01T00:00:00Z' }, now).isOld).toBe(isOld);
  });
});
