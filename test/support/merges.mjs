import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMicros } from './proc-cpu.mjs';

/** A server that merges needs more CPU time than this in two seconds. */
const IDLE_MICROS = 60_000;

/** Waits until ClickHouse has finished its merges, whose CPU time would be counted with that of reads. Says so when it has not. */
export async function waitForMerges({ clickhouse }, withinMs) {
  const deadline = Date.now() + withinMs;
  for (let last = cpuMicros(clickhouse.pid); Date.now() < deadline;) {
    await sleep(2000);
    const now = cpuMicros(clickhouse.pid);
    if (now - last < IDLE_MICROS) return;
    last = now;
  }
  console.log('ClickHouse was still merging when the first query was executed.');
}
