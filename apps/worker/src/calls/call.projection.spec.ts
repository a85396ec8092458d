import fc from 'fast-check';
import { DELETED_VERSION } from '@app/clickhouse';
import { distinct, factId, type CallFact, type CallFactKind } from '@app/events';
import { micros, pathHash } from '@app/wire';
import { decodedMap } from '../../../../test/support/encoded-map.js';
import { aFact } from '../../../../test/support/facts.js';
import { overwrites, withEffect, withoutEffect } from './call-owner.js';
import { foldCall } from './call.projection.js';

const T = Date.UTC(2026, 2, 2) * 1000;

/** Sends with a key that may only add. */
const EVE = { userId: 'eve', addsOnly: true };

const alive = (facts: readonly CallFact[]) => foldCall(facts).filter((row) => row.is_deleted === 0);
const text = (bytes: string | Buffer) => bytes.toString();

type Row = ReturnType<typeof foldCall>[number];

/** A row with its payloads and leaves as text, so that it can be compared. */
const asTexts = ({
  attributes,
  inputs,
  output,
  summary,
  otel_dump,
  leaf_s,
  leaf_n,
  leaf_b,
  ...row
}: Row) => ({
  ...row,
  payloads: [attributes, inputs, output, summary, otel_dump].map(text),
  leaves: [leaf_s, leaf_n, leaf_b].flatMap(({ keys, values }) =>
    [keys, values].map(({ bytes, start, end }) => bytes.toString('latin1', start, end)),
  ),
});

const shown = (facts: readonly CallFact[]) =>
  foldCall(facts)
    .map(asTexts)
    .sort((a, b) => a.started_at - b.started_at || a.trace_id.localeCompare(b.trace_id));

/** Does what FINAL does: of all rows with one key the greatest version wins, of equal versions the one not deleted. */
function seen(rows: readonly Row[]) {
  const newest = new Map<number, Row>();
  for (const row of rows) {
    const other = newest.get(row.started_at);
    const wins =
      other === undefined ||
      row.version > other.version ||
      (row.version === other.version && row.is_deleted <= other.is_deleted);
    if (wins) newest.set(row.started_at, row);
  }
  return [...newest.values()].filter((row) => row.is_deleted === 0).map(asTexts);
}

describe('the fold of a call', () => {
  it('joins a start and an end', () => {
    const facts = [
      aFact('start', { item: { inputs: { q: 1 } } }),
      aFact('end', { item: { output: 'hi' } }),
    ];
    const [row] = foldCall(facts);

    expect(row).toMatchObject({
      id: 'c1',
      op_name: 'summarise',
      status: 'success',
      version: 2n,
      user_id: 'ann',
    });
    expect([text(row!.inputs), text(row!.output)]).toEqual(['{"q":1}', '"hi"']);
  });

  it.each<CallFactKind[]>([['end'], ['rename'], ['delete'], ['end', 'rename']])(
    'holds what has no start: %s',
    (...kinds) => {
      expect(foldCall(kinds.map((kind) => aFact(kind)))).toEqual([]);
    },
  );

  it('counts a repeated fact once, by its first receipt', () => {
    const start = aFact('start', { receivedAt: micros(T + 10) });
    const other = aFact('start', { receivedAt: micros(T + 20), item: { op_name: 'other' } });
    const again = { ...start, receivedAt: micros(T + 30), chunkId: 'later' };

    expect(foldCall([start, other, again])).toMatchObject([{ op_name: 'other', version: 2n }]);
  });

  it('uses all fields of the newest of several starts, and keeps the end', () => {
    const facts = [
      aFact('start', { item: { inputs: { n: 1 }, parent_id: 'p' } }),
      aFact('end', { item: { output: 7 } }),
      aFact('start', { item: { inputs: { n: 2 } } }),
    ];
    const [row] = foldCall(facts);

    expect(row).toMatchObject({ parent_id: '', version: 3n });
    expect([text(row!.inputs), text(row!.output)]).toEqual(['{"n":2}', '7']);
  });

  it('hides a call at the placement of an earlier start', () => {
    const facts = [
      aFact('start', { item: { started_at: '2026-01-01T00:00:00Z' } }),
      aFact('start', { item: { started_at: '2026-02-01T00:00:00Z' } }),
    ];

    expect(foldCall(facts)).toMatchObject([
      { is_deleted: 1, version: 2n, started_at: Date.UTC(2026, 0, 1) * 1000 },
      { is_deleted: 0, version: 2n, started_at: Date.UTC(2026, 1, 1) * 1000 },
    ]);
  });

  it('writes the call after the blank that hides it in another trace', () => {
    const facts = ['t1', 't2'].map((trace_id) => aFact('start', { item: { trace_id } }));

    expect(foldCall(facts)).toMatchObject([
      { trace_id: 't1', is_deleted: 1 },
      { trace_id: 't2', is_deleted: 0 },
    ]);
  });

  it('keeps nothing of a deleted call, and has a greater version than any later fact', () => {
    const [row] = foldCall([
      aFact('delete'),
      aFact('start', { item: { inputs: { secret: 1 } } }),
      aFact('end'),
    ]);

    expect(row).toMatchObject({ is_deleted: 1, version: 3n + DELETED_VERSION, op_name: '' });
    expect(text(row!.inputs)).toBe('');
  });

  it('uses the newest rename, else the name of the end, else of the start; an empty rename removes the name', () => {
    const start = aFact('start', { item: { display_name: 'start' } });
    const end = aFact('end', { item: { display_name: 'end' } });
    const a = aFact('rename', { item: { display_name: 'a' } });
    const none = aFact('rename', { item: { display_name: '' } });
    const name = (...facts: CallFact[]) => foldCall(facts)[0]!.display_name;

    expect(name(start)).toBe('start');
    expect(name(end, start)).toBe('end');
    expect(name(a, end, start)).toBe('a');
    expect(name(a, none, end, start)).toBe('');
  });

  it.each([
    [{ exception: 'boom' }, 'error'],
    [{ summary: { status_counts: { error: 2 } } }, 'descendant_error'],
    [{ summary: { status_counts: { error: 0 } } }, 'success'],
    [{ summary: { status_counts: { error: '2' } } }, 'descendant_error'],
    [{ summary: { status_counts: { error: { toString: 1, valueOf: 1 } } } }, 'success'],
    [{ summary: { status_counts: { error: null } } }, 'success'],
  ])('derives the status from %j', (item, status) => {
    expect(alive([aFact('start'), aFact('end', { item })])).toMatchObject([{ status }]);
    expect(alive([aFact('start')])).toMatchObject([{ status: 'running' }]);
  });

  it('has the same placement whenever its start was received, however wrong the clock', () => {
    const at = (started_at: string, receivedAt: number) =>
      alive([aFact('start', { item: { started_at }, receivedAt: micros(receivedAt) })])[0]!
        .started_at;

    expect(at('1815-12-10T00:00:00Z', T)).toBe(Date.UTC(2000, 0, 1) * 1000);
    expect(at('9999-01-01T00:00:00Z', T)).toBe(at('9999-01-01T00:00:00Z', T + 1));
  });

  it('finds refs, usage and leaves', () => {
    const ref = 'weave:///acme/demo/object/cfg:abc';
    const [row] = alive([
      aFact('start', {
        item: { inputs: { model: ref, again: [ref], 'a.b': { n: 1.5, ok: true } } },
      }),
      aFact('end', {
        item: {
          output: `see ${ref}`,
          summary: {
            usage: {
              gpt: {
                prompt_tokens: 3,
                completion_tokens: 4,
                prompt_tokens_details: { cached_tokens: 2 },
              },
            },
          },
        },
      }),
    ]);

    expect(row).toMatchObject({ input_refs: [ref], output_refs: [], leaf_full: 2 });
    expect(row).toMatchObject({
      usage_model: ['gpt'],
      usage_prompt: [3],
      usage_cache_read: [2],
      usage_total: [7],
    });
    expect(decodedMap(row!.leaf_n, 'n').get('inputs.a\\.b.n')).toBe(1.5);
    expect(decodedMap(row!.leaf_b, 'b').get('inputs.a\\.b.ok')).toBe(true);
    expect(decodedMap(row!.leaf_s, 's').get('inputs.model')).toBe(ref);
  });

  it('lists the paths whose values are not leaves', () => {
    const unindexed = (inputs: object) =>
      alive([aFact('start', { item: { inputs } })])[0]!.leaf_rest;
    const hashOf = (field: string) => pathHash(Buffer.from(`inputs.${field}`));

    expect(unindexed({ text: 'x'.repeat(256) })).not.toContain(hashOf('text'));
    expect(unindexed({ text: 'x'.repeat(257) })).toContain(hashOf('text'));
    expect(unindexed({ big: 2 ** 60 })).toContain(hashOf('big'));
    expect(unindexed({ lone: '\ud800' })).toContain(hashOf('lone'));
    expect(unindexed({ list: [] })).toContain(hashOf('list'));
    expect(unindexed({ nothing: null })).not.toContain(hashOf('nothing'));
  });

  it('has a version that counts facts without effect, so that no row of fewer facts replaces it', () => {
    const facts = [aFact('start'), aFact('end', { ...EVE, item: { output: 'forged' } })];

    expect(foldCall(facts)).toMatchObject([{ version: 2n, status: 'running' }]);
    expect(text(foldCall(facts)[0]!.output)).toBe('');
  });

  it('hides the call at the placement of a start that takes no effect', () => {
    const facts = [
      aFact('start', { item: { started_at: '2026-02-01T00:00:00Z' } }),
      aFact('start', { ...EVE, item: { started_at: '2026-01-01T00:00:00Z' } }),
    ];

    expect(foldCall(facts)).toMatchObject([
      { is_deleted: 1, started_at: Date.UTC(2026, 0, 1) * 1000 },
      { is_deleted: 0, started_at: Date.UTC(2026, 1, 1) * 1000, user_id: 'ann' },
    ]);
  });

  it('does not depend on the order of facts with one time and position', () => {
    const fact = aFact('complete');
    const facts = [{ ...fact, userId: 'eve' }, fact];

    expect(foldCall(facts)).toEqual(foldCall(facts.toReversed()));
  });

  const anyFact = fc
    .record({
      kind: fc.constantFrom<CallFactKind>('start', 'end', 'complete', 'rename', 'delete'),
      receivedAt: fc.integer({ min: 1, max: 6 }).map((n) => micros(1_770_000_000_000_000 + n)),
      userId: fc.constantFrom('ann', 'eve'),
      addsOnly: fc.boolean(),
      chunkId: fc.constantFrom('a', 'b'),
      index: fc.integer({ min: 0, max: 2 }),
      item: fc.record({
        started_at: fc.constantFrom('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
        trace_id: fc.constantFrom('t1', 't2'),
        display_name: fc.constantFrom('', 'x', 'y'),
        output: fc.constantFrom(null, 1, 'two'),
      }),
    })
    .map(({ kind, ...given }) => aFact(kind, given));

  it('is the same for every order, repetition and grouping of the facts', () => {
    fc.assert(
      fc.property(
        fc
          .array(anyFact, { minLength: 1, maxLength: 7 })
          .chain((facts) =>
            fc.tuple(
              fc.constant(facts),
              fc.shuffledSubarray(facts, { minLength: facts.length, maxLength: facts.length }),
              fc.subarray(facts),
            ),
          ),
        ([facts, shuffled, repeated]) => {
          expect(shown([...repeated, ...shuffled, ...repeated])).toEqual(shown(facts));
        },
      ),
      { numRuns: 10_000 },
    );
  });

  it('is what readers finally see, however facts are split over jobs, flushes and workers', () => {
    const anySplit = fc
      .uniqueArray(anyFact, { minLength: 1, maxLength: 7, selector: factId })
      .chain((facts) =>
        fc.tuple(
          fc.constant(facts),
          fc.shuffledSubarray(facts, { minLength: facts.length, maxLength: facts.length }),
          fc.subarray(facts),
          fc.infiniteStream(fc.nat({ max: 4 })),
        ),
      );
    fc.assert(
      fc.property(anySplit, ([facts, shuffled, again, chance]) => {
        const next = () => chance.next().value;
        const flushes: CallFact[][] = [[], [], [], [], []];
        for (const fact of [...shuffled, ...again]) flushes[next()]!.push(fact);
        // Each flush folds a snapshot of the log: its own facts, and those that others have appended meanwhile.
        const written = flushes.flatMap((own, n) => {
          const read = Math.max(n, next());
          return own.length === 0 ? [] : [foldCall(flushes.slice(0, read + 1).flat())];
        });
        const orders = written.map((rows) => ({ rows, at: next() })).sort((a, b) => a.at - b.at);

        expect(seen(orders.flatMap(({ rows }) => rows))).toEqual(seen(foldCall(facts)));
      }),
      { numRuns: 10_000 },
    );
  });

  it('has at most one visible row, and all its rows have one version', () => {
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 7 }), (facts) => {
        const rows = foldCall(facts);
        expect(rows.filter((row) => row.is_deleted === 0).length).toBeLessThanOrEqual(1);
        expect(new Set(rows.map((row) => row.version)).size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2000 },
    );
  });

  it('has a version that never decreases with a further fact', () => {
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 6 }), anyFact, (facts, more) => {
        const before = foldCall(facts)[0]?.version ?? 0n;
        const after = foldCall([...facts, more])[0]?.version ?? 0n;
        expect(after).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: 2000 },
    );
  });

  it('dead-letters each fact without effect in some flush, however facts are split over flushes', () => {
    const anySplit = fc
      .uniqueArray(anyFact, { minLength: 1, maxLength: 7, selector: factId })
      .chain((facts) => fc.tuple(fc.constant(facts), fc.infiniteStream(fc.nat({ max: 3 }))));
    fc.assert(
      fc.property(anySplit, ([facts, chance]) => {
        const flushes: CallFact[][] = [[], [], [], []];
        for (const fact of facts) flushes[chance.next().value]!.push(fact);
        const deadLettered = flushes.flatMap((own, n) =>
          withoutEffect(flushes.slice(0, n + 1).flat(), own).map(factId),
        );
        const effective = withEffect(distinct(facts)).map(factId);

        expect(deadLettered).toEqual(
          expect.arrayContaining(facts.map(factId).filter((id) => !effective.includes(id))),
        );
      }),
      { numRuns: 5000 },
    );
  });
});

describe('a second user', () => {
  const mine = [
    aFact('start', { item: { inputs: { n: 1 } } }),
    aFact('end', { item: { output: 1 } }),
  ];
  const shownOf = (facts: readonly CallFact[]) => {
    const [row] = alive(facts);
    return [row!.op_name, row!.user_id, text(row!.inputs), text(row!.output)];
  };
  const forged = (by: object) => [
    aFact('start', { ...by, item: { op_name: 'forged', inputs: { n: 2 } } }),
    aFact('end', { ...by, item: { output: 2 } }),
    aFact('complete', { ...by, item: { op_name: 'forged', output: 3 } }),
  ];

  it('changes nothing of a call with a key that only adds', () => {
    const facts = [...mine, ...forged(EVE)];

    expect(shownOf(facts)).toEqual(['summarise', 'ann', '{"n":1}', '1']);
    expect(withoutEffect(facts).map(({ userId }) => userId)).toEqual(['eve', 'eve', 'eve']);
  });

  it('changes the call with a key that may change', () => {
    const facts = [...mine, ...forged({ userId: 'eve' })];

    expect(shownOf(facts)).toEqual(['forged', 'eve', '{}', '3']);
    expect(withoutEffect(facts)).toEqual([]);
    expect(overwrites(facts, facts).map(({ kind }) => kind)).toEqual(['start', 'end']);
    expect(overwrites(facts, mine)).toEqual([]);
  });

  it('does not take a call over with an end that is received before the start', () => {
    const early = aFact('end', { ...EVE, receivedAt: micros(T - 1), item: { output: 'forged' } });

    expect(shownOf([early, ...mine])).toEqual(['summarise', 'ann', '{"n":1}', '1']);
    expect(withoutEffect([early])).toEqual([]);
    expect(withoutEffect([early, ...mine], mine)).toEqual([early]);
  });

  it('whose key only adds may send what the first user sent, which stays a fact of its own', () => {
    const [start, end] = mine as [CallFact, CallFact];
    const sent = { ...end, addsOnly: true, receivedAt: micros(end.receivedAt + 5) };
    const copy = { ...end, ...EVE };

    expect(shownOf([start, copy, sent])).toEqual(['summarise', 'ann', '{"n":1}', '1']);
    expect(withoutEffect([start, copy, sent])).toEqual([copy]);
  });

  it('is not the first one who sends again, with any key', () => {
    const again = forged({ userId: 'ann', addsOnly: true });

    expect(shownOf([...mine, ...again])).toEqual(['forged', 'ann', '{}', '3']);
    expect(withoutEffect([...mine, ...again])).toEqual([]);
  });
});
