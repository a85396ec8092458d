import { setTimeout as sleep } from 'node:timers/promises';

const STARTS = 20;
const ACK_WITHIN_MS = 60_000;

/** Injects faults into a server. Each fault resolves when the processes it killed run again. */
export class Faults {
  kills = 0;
  failedStarts = 0;
  /** One entry per fault: `{ fault, kills, outageMs, nextAckMs, refused429, refused503, broken, note }`. */
  history = [];
  /** Processes that no other fault may kill. */
  busy = new Set();

  constructor({ server, writer, random, log }) {
    Object.assign(this, { server, writer, random, log });
  }

  /** Sends SIGKILL, and starts the processes again after a random time of up to 1.5 s. */
  kill(...members) {
    const names = members.map(({ name }) => name).join(' + ');
    return this.fault(`kill ${names}`, () => this.#crash(members, this.random() * 1500));
  }

  killAny() {
    const members = this.server.members.filter(
      (member) => member !== this.server.query && !this.busy.has(member),
    );
    return this.kill(members[Math.floor(this.random() * members.length)]);
  }

  killAll() {
    const free = this.server.members.filter((member) => !this.busy.has(member));
    return this.fault('kill everything at once', () => this.#crash(free, 500));
  }

  /** Kills the workers as soon as an insert into the table is visible: before the next step of the flush or the job's end. */
  killAfterInsert(table) {
    return this.fault(`kill workers after an insert into ${table}`, async () => {
      const workers = this.server.workers.filter((worker) => !this.busy.has(worker));
      const before = await this.#newestBlock(table);
      const deadline = Date.now() + 10_000;
      while (Date.now() < deadline && (await this.#newestBlock(table)) === before) continue;
      const note = Date.now() < deadline ? '' : 'no insert seen';
      return { note, ...(await this.#crash(workers, this.random() * 500)) };
    });
  }

  /** Stops a worker for longer than the lock of a job: another worker runs the same jobs, and then both finish them. */
  async freeze(worker, ms) {
    while (this.busy.has(worker)) await sleep(100);
    this.busy.add(worker);
    return this.fault(`SIGSTOP ${worker.name}, ${Math.round(ms / 1000)} s`, async () => {
      worker.kill('SIGSTOP');
      await sleep(ms);
      worker.kill('SIGCONT');
      this.busy.delete(worker);
      return { outageMs: ms };
    });
  }

  /** ClickHouse is unavailable while the writer sends as fast as it can. */
  storeOutage(ms) {
    return this.fault(`ClickHouse unavailable, ${Math.round(ms / 1000)} s, full rate`, async () => {
      const rate = this.writer.factsPerSecond;
      const before = this.writer.counts.acknowledged;
      this.writer.factsPerSecond = Infinity;
      try {
        const done = await this.#crash([this.server.clickhouse], ms);
        return { ...done, note: `${this.writer.counts.acknowledged - before} requests accepted` };
      } finally {
        this.writer.factsPerSecond = rate;
      }
    });
  }

  /** Runs `act`, which resolves with `{ kills, outageMs, note }`, and records what the writer met meanwhile. */
  async fault(fault, act) {
    const before = { ...this.writer.counts };
    const begun = performance.now();
    const firstAck = this.writer.nextAck(ACK_WITHIN_MS + 120_000);
    const { kills = 0, outageMs = 0, note = '' } = await act();
    const nextAckMs = await firstAck;
    const recoveryMs = await this.writer.nextAck(ACK_WITHIN_MS);
    const counts = this.writer.counts;
    const entry = {
      fault,
      kills,
      outageMs,
      nextAckMs,
      refused429: counts.refused429 - before.refused429,
      refused503: counts.refused503 - before.refused503,
      broken: counts.broken - before.broken,
      note: recoveryMs === Infinity ? `no acknowledgement for ${ACK_WITHIN_MS / 1000} s` : note,
    };
    this.history.push(entry);
    this.log(`${fault} (${Math.round(performance.now() - begun)} ms)${note && `: ${note}`}`);
    return entry;
  }

  async #crash(members, outageMs) {
    members.forEach((member) => this.busy.add(member));
    await Promise.all(members.map((member) => member.crash()));
    this.kills += members.length;
    await sleep(outageMs);
    await Promise.all(members.map((member) => this.#restart(member)));
    members.forEach((member) => this.busy.delete(member));
    return { outageMs, kills: members.length };
  }

  /** Retries as a supervisor does: a process may not start while one that it needs is down. */
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

  /** The highest block number of the table. An insert adds a block, a merge does not. */
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
