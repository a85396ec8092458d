import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import type { Millis } from '@app/wire';
import type { PendingChunk } from './chunks.js';
import { KEYS, STREAM_KEYS } from './streams.js';

/** Facts of a project (or of all) as the queue counts them. */
export interface LedgerBalance {
  readonly received: number;
  readonly settled: number;
  /** Received and not settled. */
  readonly pending: number;
}

/** With the pending facts counted from the pending chunks. */
export interface CountedBalance extends LedgerBalance {
  /** Whether received = settled + pending. */
  readonly isBalanced: boolean;
}

/** What must be true of every project. */
export const EQUATIONS = [
  'received = settled + pending',
  'settled = Σ facts of the receipts',
  'every receipted fact is in the log or a dead letter',
  'every started call has all its facts, or one of them is a dead letter',
  'the usage of every root call is the usage that reports read',
] as const;

/** What a check found in one project. */
export interface BrokenLedger {
  readonly project: string;
  readonly unbalancedFacts: number;
  readonly missingFacts: number;
  readonly staleCalls: number;
  readonly callsWithOtherUsage: number;
}

/** The result of the last comparison of the queue with ClickHouse. */
export interface LedgerCheck {
  /** Facts that are settled without a receipt, or receipted without having been received. */
  readonly unbalancedFacts: number;
  readonly missingFacts: number;
  readonly staleCalls: number;
  readonly callsWithOtherUsage: number;
  /** The first hundred projects with any of these; absent in a check of an older worker. */
  readonly broken?: readonly BrokenLedger[];
  /** When that was found; 0 before the first complete check. */
  readonly checkedAt: Millis;
  /** Start of the last attempt, which may have failed. */
  readonly beganAt: Millis;
  readonly tookMs: number;
}

/** The counts of a settled project on their way to ClickHouse. */
export interface LedgerMove {
  readonly project: string;
  /** Facts that were moved earlier. */
  readonly before: number;
  /** Facts received and settled, as Redis counts them. */
  readonly facts: number;
}

/** KEYS: ledger, moves. ARGV: project, facts. Removes the counts unless they have changed. */
const FINISH_MOVE = `
local received, settled = 'received:' .. ARGV[1], 'settled:' .. ARGV[1]
if redis.call('HGET', KEYS[1], received) ~= ARGV[2] or redis.call('HGET', KEYS[1], settled) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], received, settled)
redis.call('HDEL', KEYS[2], ARGV[1])
return 1`;

const CHECK = 'ledger';

/** The name of the watermark with the day of the last expiry. */
export const EXPIRY_WATERMARK = 'expiry';
/** Deletes cost ClickHouse much, so they run while few people work, at least in one part of the world. */
export const EXPIRY_HOUR_UTC = 2;

/** Fields or chunks per page. */
const SCAN_COUNT = 1000;
const NONE: LedgerBalance = { received: 0, settled: 0, pending: 0 };

/** The counts of the ledger that are in Redis: facts received, settled and pending. */
@Injectable()
export class Ledger {
  constructor(private readonly redis: Redis) {}

  /** The facts about calls of all projects. */
  async total(): Promise<LedgerBalance> {
    const [received, settled] = await this.redis.hmget(
      STREAM_KEYS.calls.ledger,
      'received',
      'settled',
    );
    return balanceOf(received, settled);
  }

  /** The facts about calls of each project. The counts of one project are read at the same time. */
  async balances(): Promise<Map<string, LedgerBalance>> {
    const { ledger } = STREAM_KEYS.calls;
    const balances = new Map<string, LedgerBalance>();
    for await (const page of this.pages(ledger)) {
      const projects = [...new Set(page.flatMap(([field]) => projectOf(field) ?? []))];
      if (projects.length === 0) continue;
      const counts = await this.redis.hmget(ledger, ...projects.flatMap(fieldsOf));
      projects.forEach((project, i) =>
        balances.set(project, balanceOf(counts[2 * i], counts[2 * i + 1])),
      );
    }
    return balances;
  }

  /**
   * The same, with the pending facts counted from the pending chunks, page by page. A chunk that is added or settled meanwhile
   * may or may not be among them, so the sum is compared with the counters before and after.
   */
  async count(): Promise<Map<string, CountedBalance>> {
    const before = await this.balances();
    const pending = await this.factsOfPendingChunks();
    const after = await this.balances();
    const projects = new Set([before, pending, after].flatMap((map) => [...map.keys()]));
    return new Map(
      [...projects].map((project) => {
        const first = before.get(project) ?? NONE;
        const last = after.get(project) ?? NONE;
        return [project, countedBalance(first, pending.get(project) ?? 0, last)];
      }),
    );
  }

  /** The pending facts of a project, of both streams. */
  async pendingFacts(projectId: string): Promise<number> {
    const balances = await Promise.all(
      Object.values(STREAM_KEYS).map(({ ledger }) =>
        this.redis.hmget(ledger, ...fieldsOf(projectId)),
      ),
    );
    return balances.reduce((sum, counts) => sum + balanceOf(counts[0], counts[1]).pending, 0);
  }

  /** Records moves before they begin, so that a later run finishes those that are interrupted. */
  async openMove(moves: readonly LedgerMove[]): Promise<void> {
    const entries = moves.flatMap((move) => [move.project, JSON.stringify(move)]);
    await this.redis.hset(STREAM_KEYS.calls.ledgerMoves, ...entries);
  }

  async openMoves(): Promise<LedgerMove[]> {
    const moves = await this.redis.hvals(STREAM_KEYS.calls.ledgerMoves);
    return moves.map((move) => JSON.parse(move) as LedgerMove);
  }

  /** Resolves to false if the project has got facts since. Then its counts stay. */
  async finishMove({ project, facts }: LedgerMove): Promise<boolean> {
    const { ledger, ledgerMoves } = STREAM_KEYS.calls;
    return (await this.redis.eval(FINISH_MOVE, 2, ledger, ledgerMoves, project, facts)) === 1;
  }

  async undoMove(project: string): Promise<void> {
    await this.redis.hdel(STREAM_KEYS.calls.ledgerMoves, project);
  }

  /** Sets the counts of all projects, which have nothing pending. A project that Redis counts and that is not given gets 0. */
  async replace(facts: ReadonlyMap<string, number>): Promise<void> {
    const { ledger, ledgerMoves } = STREAM_KEYS.calls;
    const counts = new Map([...(await this.balances()).keys()].map((project) => [project, 0]));
    for (const [project, count] of facts) counts.set(project, count);
    const fields = [...counts].flatMap(([project, count]) =>
      fieldsOf(project).flatMap((field) => [field, count]),
    );
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const commands = this.redis.multi().del(ledger, ledgerMoves);
    for (let at = 0; at < fields.length; at += 2 * SCAN_COUNT)
      commands.hset(ledger, ...fields.slice(at, at + 2 * SCAN_COUNT));
    await commands.hset(ledger, 'received', total, 'settled', total).exec();
  }

  private async factsOfPendingChunks(): Promise<Map<string, number>> {
    const counted = new Set<string>();
    const sums = new Map<string, number>();
    for await (const page of this.pages(STREAM_KEYS.calls.pendingChunks)) {
      for (const [chunkId, text] of page) {
        // HSCAN may return a field twice.
        if (counted.has(chunkId)) continue;
        counted.add(chunkId);
        const { facts } = JSON.parse(text) as Pick<PendingChunk, 'facts'>;
        for (const [project, count] of Object.entries(facts))
          sums.set(project, (sums.get(project) ?? 0) + count);
      }
    }
    return sums;
  }

  /** All fields of a hash with their values, without a command that takes longer for a larger hash. */
  private async *pages(key: string): AsyncGenerator<[field: string, value: string][]> {
    const scan = this.redis.hscanStream(key, { count: SCAN_COUNT });
    for await (const page of scan as AsyncIterable<string[]>) {
      yield page.flatMap((field, i) => (i % 2 === 0 ? [[field, page[i + 1]!]] : []));
    }
  }

  async lastCheck(): Promise<LedgerCheck | undefined> {
    const text = await this.watermark(CHECK);
    return text === null ? undefined : (JSON.parse(text) as LedgerCheck);
  }

  async saveCheck(check: LedgerCheck): Promise<void> {
    await this.setWatermark(CHECK, JSON.stringify(check));
  }

  async watermark(name: string): Promise<string | null> {
    return this.redis.hget(KEYS.watermarks, name);
  }

  async setWatermark(name: string, value: string): Promise<void> {
    await this.redis.hset(KEYS.watermarks, name, value);
  }
}

/** The project of a field of the ledger; undefined for a total. */
const projectOf = (field: string): string | undefined =>
  /^(?:received|settled):([^]*)$/.exec(field)?.[1];

const fieldsOf = (project: string): [string, string] => [
  `received:${project}`,
  `settled:${project}`,
];

function balanceOf(
  receivedText: string | null | undefined,
  settledText: string | null | undefined,
): LedgerBalance {
  const [received, settled] = [Number(receivedText ?? 0), Number(settledText ?? 0)];
  return { received, settled, pending: received - settled };
}

/**
 * A chunk that was pending before and after was counted. A chunk that was counted was pending at some time in between. When
 * nothing is added or settled, both limits are the same number.
 */
function countedBalance(
  before: LedgerBalance,
  pending: number,
  after: LedgerBalance,
): CountedBalance {
  const { received, settled } = before;
  const isBalanced =
    pending >= before.received - after.settled && pending <= after.received - before.settled;
  return { received, settled, pending, isBalanced };
}
