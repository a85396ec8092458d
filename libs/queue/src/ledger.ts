import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import type { Millis } from '@app/wire';
import type { PendingChunk } from './chunks.js';
import { KEYS, STREAM_KEYS } from './streams.js';

/** Facts of a project (or of all) as the queue counts them. */
export interface LedgerBalance {
  readonly received: number;
  readonly settled: number;
  readonly pending: number;
}

/** The result of the last comparison of the queue with ClickHouse. */
export interface LedgerCheck {
  /** Facts that are settled without a receipt, or receipted without having been received. */
  readonly unbalancedFacts: number;
  readonly missingFacts: number;
  readonly staleCalls: number;
  /** When that was found; 0 before the first complete check. */
  readonly checkedAt: Millis;
  /** Start of the last attempt, which may have failed. */
  readonly beganAt: Millis;
  readonly tookMs: number;
}

const CHECK = 'ledger';

/** Reads all counts in one script, so that received, settled and pending add up at any time. */
const BALANCES = `
local balances = {}
local function add(project, column, count)
  balances[project] = balances[project] or {0, 0, 0}
  balances[project][column] = balances[project][column] + count
end
local ledger = redis.call('HGETALL', KEYS[1])
for i = 1, #ledger, 2 do
  local kind, project = string.match(ledger[i], '^(%a+):(.*)$')
  if kind == 'received' then add(project, 1, tonumber(ledger[i + 1])) end
  if kind == 'settled' then add(project, 2, tonumber(ledger[i + 1])) end
end
for _, chunk in ipairs(redis.call('HVALS', KEYS[2])) do
  for project, count in pairs(cjson.decode(chunk).facts) do add(project, 3, count) end
end
local rows = {}
for project, counts in pairs(balances) do rows[#rows + 1] = {project, counts[1], counts[2], counts[3]} end
return rows`;

/** The counts of the ledger that are in Redis: facts received, settled and pending. */
@Injectable()
export class Ledger {
  constructor(private readonly redis: Redis) {}

  async balances(): Promise<Map<string, LedgerBalance>> {
    const { ledger, pendingChunks } = STREAM_KEYS.calls;
    const rows = (await this.redis.eval(BALANCES, 2, ledger, pendingChunks)) as [
      string,
      number,
      number,
      number,
    ][];
    return new Map(
      rows.map(([project, received, settled, pending]) => [
        project,
        { received, settled, pending },
      ]),
    );
  }

  /** The number of pending chunks, of both streams, that contain facts of the project. */
  async pendingChunks(projectId: string): Promise<number> {
    const chunks = await Promise.all(
      Object.values(STREAM_KEYS).map((keys) => this.redis.hvals(keys.pendingChunks)),
    );
    return chunks
      .flat()
      .filter((chunk) =>
        Object.hasOwn((JSON.parse(chunk) as Pick<PendingChunk, 'facts'>).facts, projectId),
      ).length;
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
