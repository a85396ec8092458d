import type { NewFact } from '@app/events';
import { QueueFullError, QueueUnavailableError, RateLimitedError } from '@app/redis';
import { millis } from '@app/wire';
import { FactPublisher, ProjectLanes } from './fact-publisher.js';

const MiB = 1024 * 1024;
const NOW = millis(1_772_359_200_000);

describe('the lane of a project', () => {
  it('is fast until more than 4 MB are pending, and again once hardly any are', () => {
    const lanes = new ProjectLanes();
    const laneAt = (pendingBytes: number) => {
      lanes.update('a/busy', pendingBytes, NOW);
      return lanes.laneOf('a/busy', 0, NOW);
    };

    const pending = [4 * MiB, 4 * MiB + 1, 9 * MiB, 4 * MiB, MiB + 1, MiB, 4 * MiB];
    expect(pending.map(laneAt)).toEqual(['fast', 'bulk', 'bulk', 'bulk', 'bulk', 'fast', 'fast']);
  });

  it('depends also on the bytes of the write itself', () => {
    const lanes = new ProjectLanes();
    expect(lanes.laneOf('a/busy', 4 * MiB, NOW)).toBe('fast');
    expect(lanes.laneOf('a/busy', 4 * MiB + 1, NOW)).toBe('bulk');

    lanes.update('a/busy', 3 * MiB, NOW);
    expect(lanes.laneOf('a/busy', 2 * MiB, NOW)).toBe('bulk');
  });

  it('is fast for an unknown project, whatever the others have pending', () => {
    const lanes = new ProjectLanes();
    lanes.update('a/busy', 9 * MiB, NOW);

    expect(lanes.laneOf('a/other', 0, NOW)).toBe('fast');
  });

  it('is fast again after two seconds without a write', () => {
    const lanes = new ProjectLanes();
    lanes.update('a/busy', 9 * MiB, NOW);

    expect(lanes.laneOf('a/busy', 0, millis(NOW + 2000))).toBe('bulk');
    expect(lanes.laneOf('a/busy', 0, millis(NOW + 2001))).toBe('fast');
  });
});

describe('a request', () => {
  const fact = (callId: string, bytes: number) =>
    ({
      ...{ kind: 'start', projectId: 'a/b', userId: 'ann', callId, receivedAt: NOW },
      item: Buffer.alloc(bytes),
    }) as unknown as NewFact;
  const large = Array.from({ length: 20 }, (_, n) => fact(`large-${n}`, MiB));

  /** Redis with one transaction at a time; `commit` decides what becomes of each. */
  function publisher(
    commit: (callIds: readonly string[]) => Promise<unknown> = async () => 0,
    limits: object = {},
  ) {
    const committed: string[][] = [];
    const queue = {
      lanes: { fast: 'fast', bulk: 'bulk' },
      begin: () => {
        const callIds: string[] = [];
        let isPrepared = false;
        return Promise.resolve({
          callIds,
          prepare: async () => void (isPrepared = true),
          commit: async () => {
            expect(isPrepared).toBe(true);
            await commit(callIds);
            committed.push(callIds);
            return [0];
          },
        });
      },
      countBytes: () => undefined,
      add: (to: { callIds: string[] }, lane: string, facts: readonly NewFact[]) => {
        to.callIds.push(...facts.map(({ callId }) => `${callId} ${lane}`));
      },
    };
    const accepts = {
      refuseWhenLow: () => undefined,
      refuseWhenFull: () => undefined,
      admit: () => Promise.resolve(() => undefined),
      consumeAll: () => Promise.resolve(),
      ...limits,
      keep: () => Promise.resolve(),
    };
    const others = Array.from({ length: 6 }, () => accepts);
    const created = Reflect.construct(FactPublisher, [queue, ...others]) as FactPublisher;
    return { publisher: created, committed };
  }

  it('that a rate refuses no longer counts as admitted', async () => {
    const tooMany = new RateLimitedError('Too many.', 1);
    let admitted = 0;
    const { publisher: one, committed } = publisher(undefined, {
      // Of new projects, then of pending bytes.
      admit: () => Promise.resolve(() => admitted--).finally(() => admitted++),
      consumeAll: () => Promise.reject(tooMany),
    });

    await expect(one.publish([fact('small', 10)])).rejects.toBe(tooMany);
    expect(admitted).toBe(1);
    expect(committed).toEqual([]);
  });

  it('that the pending bytes and a rate refuse is told of the bytes', async () => {
    const full = new QueueFullError('a/b has 10 bytes pending');
    let isFirst = true;
    const { publisher: one } = publisher(undefined, {
      admit: () => (isFirst ? Promise.resolve((isFirst = false)) : Promise.reject(full)),
      consumeAll: () => Promise.reject(new RateLimitedError('Too many.', 1)),
    });

    await expect(one.publish([fact('small', 10)])).rejects.toBe(full);
  });

  it('of many bytes is written in several transactions, all in the bulk lane', async () => {
    const { publisher: one, committed } = publisher();
    await one.publish(large);

    expect(committed.flat()).toEqual(large.map(({ callId }) => `${callId} bulk`));
    expect(committed.map((ids) => ids.length)).toEqual([3, 3, 3, 3, 3, 3, 2]);
  });

  it('of few bytes does not wait until a large one is written', async () => {
    const { publisher: one, committed } = publisher();
    const both = [one.publish(large), one.publish([fact('small', 10)])];
    await Promise.all(both);

    const place = committed.findIndex((ids) => ids.includes('small fast'));
    expect(place).toBeLessThan(2);
  });

  it('that was accepted in part is unknown to its client, and nothing of it when it was refused', async () => {
    const full = new QueueFullError('used memory > maxmemory');
    const refuses = (callId: string) =>
      publisher((ids) =>
        ids.includes(`${callId} bulk`) ? Promise.reject(full) : Promise.resolve(),
      );

    await expect(refuses('large-0').publisher.publish(large)).rejects.toBe(full);
    const later = refuses('large-7').publisher.publish(large);
    await expect(later).rejects.toThrow(QueueUnavailableError);
    await expect(later).rejects.toThrow(/^Only 6 of 20 items were accepted, then: used memory/);
  });
});
