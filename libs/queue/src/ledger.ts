import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import type { Millis } from '@app/wire';
import type { ChunkTicket } from './chunks.js';
import { KEYS } from './queue-keys.js';
import { STREAM_KEYS } from './streams.js';

/** Facts of a project (or of all) as the queue counts them. */
export interface LedgerBalance {
  readonly received: number;
  readonly settled: number;
  readonly pending: number;
}

/** What did not balance when somebody last compared the queue with the store. */
export interface LedgerCheck {
  /** Facts that are settled without a receipt, or receipted without having been received. */
  readonly unbalancedFacts: number;
  readonly missingFacts: number;
  readonly staleCalls: number;
  /** When that was found; 0 when nobody has come to the end of it yet. */
  readonly checkedAt: Millis;
  /** Of the last attempt, which may have failed. */
  readonly beganAt: Millis;
  readonly tookMs: number;
}

const CHECK = 'ledger';

/** Read at one moment: received, settled and pending must add up whatever is going on. */
const BALANCES = `
local out = {}
local function add(project, slot, count)
  out[project] = out[project] or {0, 0, 0}
  out[project][slot] = out[project][slot] + count
end
local ledger = redis.call('HGETALL', KEYS[1])
for i = 1, #ledger, 2 do
  local kind, project = string.match(ledger[i], '^(%a+):(.*)$')
  if kind == 'received' then add(project, 1, tonumber(ledger[i + 1])) end
  if kind == 'settled' then add(project, 2, tonumber(ledger[i + 1])) end
end
for _, ticket in ipairs(redis.call('HVALS', KEYS[2])) do
  for project, count in pairs(cjson.decode(ticket).facts) do add(project, 3, count) end
end
local rows = {}
for project, counts in pairs(out) do rows[#rows + 1] = {project, counts[1], counts[2], counts[3]} end
return rows`;

/** The queue's side of the ledger: what came in, what is stored, what is on its way. */
@Injectable()
export class Ledger {
  constructor(private readonly redis: Redis) {}

  async balances(): Promise<Map<string, LedgerBalance>> {
    const { ledger, tickets } = STREAM_KEYS.calls;
    const rows = (await this.redis.eval(BALANCES, 2, ledger, tickets)) as [
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

  /** Chunks of either stream that hold facts of the project and are not stored yet. */
  async pendingChunks(projectId: string): Promise<number> {
    const tickets = await Promise.all(
      Object.values(STREAM_KEYS).map((keys) => this.redis.hvals(keys.tickets)),
    );
    return tickets
      .flat()
      .filter((ticket) =>
        Object.hasOwn((JSON.parse(ticket) as Pick<ChunkTicket, 'facts'>).facts, projectId),
      ).length;
  }

  async lastCheck(): Promise<LedgerCheck | undefined> {
    const text = await this.watermark(CHECK);
    return text === null ? undefined : (JSON.parse(text) as LedgerCheck);
  }

  async keepCheck(check: LedgerCheck): Promise<void> {
    await this.setWatermark(CHECK, JSON.stringify(check));
  }

  async watermark(name: string): Promise<string | null> {
    return this.redis.hget(KEYS.watermarks, name);
  }

  async setWatermark(name: string, value: string): Promise<void> {
    await this.redis.hset(KEYS.watermarks, name, value);
  }
}
