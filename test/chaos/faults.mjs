import { setTimeout as sleep } from 'node:timers/promises';

const STARTS = 20;
const YES_WITHIN_MS = 60_000;

/** What can go wrong with a server, done to it on purpose. Each fault returns when what it killed runs again. */
export class Faults {
  kills = 0;
  failedStarts = 0;
  /** One entry per fault: `{ fault, kills, awayMs, yesAfterMs, refused429, refused503, broken, note }`. */
  history = [];
  #busy = new Set();

  constructor({ server, writer, random, say }) {
    Object.assign(this, { server, writer, random, say });
  }

  /** SIGKILL; it stays away for a moment that nobody chose. */
  kill(...members) {
    const names = members.map(({ name }) => name).join(' + ');
    return this.#fault(`kill ${names}`, () => this.#crash(members, this.random() * 1500));
  }

  killAny() {
    const members = this.server.members.filter(
      (member) => member !== this.server.query && !this.#busy.has(member),
    );
    return this.kill(members[Math.floor(this.random() * members.length)]);
  }

  killAll() {
    const free = this.server.members.filter((member) => !this.#busy.has(member));
    return this.#fault('kill everything at once', () => this.#crash(free, 500));
  }

  /** Kills the workers the moment an insert into the table is visible: before the next step of the flush, or its job's end. */
  killAfterInsert(table) {
    return this.#fault(`kill workers after an insert into ${table}`, async () => {
      const workers = this.server.workers.filter((worker) => !this.#busy.has(worker));
      const before = await this.#newestBlock(table);
      const deadline = Date.now() + 10_000;
      while (Date.now() < deadline && (await this.#newestBlock(table)) === before) continue;
      const note = Date.now() < deadline ? '' : 'no insert came';
      return { note, ...(await this.#crash(workers, this.random() * 500)) };
    });
  }

  /** Longer than the lock of a job, so that another worker runs the same jobs, and then both finish. */
  async freeze(worker, ms) {
    while (this.#busy.has(worker)) await sleep(100);
    this.#busy.add(worker);
    return this.#fault(`SIGSTOP ${worker.name}, ${Math.round(ms / 1000)} s`, async () => {
      worker.kill('SIGSTOP');
      await sleep(ms);
      worker.kill('SIGCONT');
      this.#busy.delete(worker);
      return { awayMs: ms };
    });
  }

  /** ClickHouse is gone while the load does what it can. */
  storeAway(ms) {
    return this.#fault(`ClickHouse away, ${Math.round(ms / 1000)} s, full rate`, async () => {
      const pace = this.writer.factsPerSecond;
      const before = this.writer.counts.acknowledged;
      this.writer.factsPerSecond = Infinity;
      try {
        const done = await this.#crash([this.server.clickhouse], ms);
        return { ...done, note: `${this.writer.counts.acknowledged - before} requests taken` };
      } finally {
        this.writer.factsPerSecond = pace;
      }
    });
  }

  /** Redis takes nothing more: clients must hear 429, and all must go on when there is room again. */
  queueFull(ms) {
    return this.#fault(`Redis at maxmemory, ${Math.round(ms / 1000)} s`, async () => {
      this.#busy.add(this.server.redis);
      const [, limit] = await this.server.redisCommand('CONFIG', 'GET', 'maxmemory');
      const info = await this.server.redisCommand('INFO', 'memory');
      const used = Number(/^used_memory:(\d+)/m.exec(info)[1]);
      const refused = this.writer.counts.refused429;
      await this.server.redisCommand('CONFIG', 'SET', 'maxmemory', String(Math.floor(used * 0.9)));
      await sleep(ms);
      await this.server.redisCommand('CONFIG', 'SET', 'maxmemory', limit);
      this.#busy.delete(this.server.redis);
      const heard = this.writer.counts.refused429 - refused;
      return { awayMs: ms, note: heard > 0 ? '' : 'nobody was told 429' };
    });
  }

  async #fault(fault, act) {
    const before = { ...this.writer.counts };
    const begun = performance.now();
    const yes = this.writer.nextYes(YES_WITHIN_MS + 120_000);
    const { kills = 0, awayMs = 0, note = '' } = await act();
    const yesAfterMs = await yes;
    const backMs = await this.writer.nextYes(YES_WITHIN_MS);
    const counts = this.writer.counts;
    const entry = {
      fault,
      kills,
      awayMs,
      yesAfterMs,
      refused429: counts.refused429 - before.refused429,
      refused503: counts.refused503 - before.refused503,
      broken: counts.broken - before.broken,
      note: backMs === Infinity ? `no yes for ${YES_WITHIN_MS / 1000} s` : note,
    };
    this.history.push(entry);
    this.say(`${fault} (${Math.round(performance.now() - begun)} ms)${note && `: ${note}`}`);
    return entry;
  }

  async #crash(members, awayMs) {
    members.forEach((member) => this.#busy.add(member));
    await Promise.all(members.map((member) => member.crash()));
    this.kills += members.length;
    await sleep(awayMs);
    await Promise.all(members.map((member) => this.#restart(member)));
    members.forEach((member) => this.#busy.delete(member));
    return { awayMs, kills: members.length };
  }

  /** As a supervisor would: again, when it did not come up because something else is down. */
  async #restart(member) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await member.start();
      } catch (error) {
        if (attempt === STARTS) throw error;
        this.failedStarts++;
        await sleep(500);
      }
    }
  }

  /** Every insert takes a number; merges take none. */
  async #newestBlock(table) {
    const query = `SELECT max(max_block_number) FROM system.parts WHERE table = '${table}'`;
    try {
      return String(await this.server.sql(query));
    } catch {
      await sleep(20);
      return this.#newestBlock(table);
    }
  }
}
