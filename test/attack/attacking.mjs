import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { STOLEN_MAX, StolenTime } from '../support/stolen-time.mjs';
import { clientOf } from './http-client.mjs';
import { ProcessWatch, residentBytes } from './process-memory.mjs';
import { Victim } from './victim.mjs';
import { latencies, LIMITS, recoveredAfter, verdictOf } from './verdict.mjs';

/** As long before the attack as during it: the p99 of few requests is less than that of many. */
export const LONG = { quietMs: 10_000, attackMs: 10_000, recoveryMs: 7000 };
export const SHORT = { quietMs: 2500, attackMs: 2500, recoveryMs: 6000 };

/** A second without a slow response is recovery. */
const CALM_MS = 1000;
const STOP_WITHIN_MS = 3000;
const PREPARE_WITHIN_MS = 180_000;
/** Until another attempt. */
const CALMER_MS = 30_000;

/**
 * Attacks a server, one attack after the other, while a victim of another tenant writes and reads. `server` has `url`, `key` of an
 * administrator, and `pid`. Resolves with one result per attack: that of the last attempt.
 */
export async function attackAll({ server, attacks, times = LONG, limits, attempts = 1, onResult }) {
  const results = [];
  for (const attack of attacks) {
    let result = await attackOnce(server, attack, times, limits);
    for (let tried = 1; saysNothing(result, limits) && tried < attempts; tried++) {
      onResult?.({ ...result, isRepeated: true });
      await sleep(CALMER_MS);
      result = await attackOnce(server, attack, times, limits);
    }
    onResult?.(result);
    results.push(result);
  }
  return results;
}

/** The latencies of such an attack say nothing, passed or not. A process that ended, or had too much memory, did so whatever the host did. */
function saysNothing({ stolen, memory, hasRestarted }, { residentBytes: most } = LIMITS) {
  return stolen > STOLEN_MAX && !hasRestarted && memory.most <= most;
}

async function attackOnce({ url, key, pid }, attack, times, limits) {
  const admin = clientOf(url, key);
  const entity = `attacker-${randomUUID().slice(0, 8)}`;
  const [attackerKey, ownerKey, victimKey] = await Promise.all([
    attack.role === 'none' ? undefined : newKey(admin, entity, attack.role),
    newKey(admin, entity, 'write'),
    newKey(admin, 'victim', 'write'),
  ]);
  const more = [];
  while (more.length < (attack.keys ?? 0)) more.push(await newKey(admin, entity, attack.role));
  const keys = { attacker: attackerKey, owner: ownerKey, more };
  const attacker = startAttacker({ name: attack.name, url, project: `${entity}/demo`, keys });
  const victim = new Victim({ url, key: victimKey, project: 'victim/demo' });
  let watch;
  try {
    await within(once(attacker, 'message'), PREPARE_WITHIN_MS, `${attack.name} is not prepared`);
    await victim.prepare();
    const quietBytes = residentBytes(pid);
    watch = new ProcessWatch(pid);
    const quietTime = new StolenTime();
    victim.begin();
    await sleep(times.quietMs);
    await longestLag(url);
    const began = performance.now();
    const stolenBefore = quietTime.share();
    const attackTime = new StolenTime();
    attacker.send('begin');
    await sleep(times.attackMs);
    const ended = performance.now();
    const outcomes = await stopped(attacker);
    const lagMs = await longestLag(url);
    await recovered(victim, ended, times.recoveryMs);
    await victim.stop();
    const measured = {
      ...latencies(victim.samples, began, ended),
      recoverySeconds: recoveredAfter(victim.samples, began, ended) / 1000,
      memory: { quiet: quietBytes, most: watch.mostBytes, after: residentBytes(pid) },
      hasRestarted: watch.hasLostProcess,
      stolen: Math.max(stolenBefore, attackTime.share()),
      lagMs,
    };
    const { name, what } = attack;
    return { name, what, outcomes, ...measured, failed: verdictOf(measured, limits) };
  } finally {
    watch?.stop();
    await victim.stop();
    attacker.kill('SIGKILL');
  }
}

/**
 * In a session of its own: Linux divides the processors between sessions first, and what the attacker uses would be missing to the
 * server. It exits when this process does.
 */
function startAttacker(what) {
  const path = new URL('./attacker.mjs', import.meta.url);
  return fork(path, [JSON.stringify(what)], { detached: true });
}

/** The outcomes of the attack; its process is ended if it does not stop by itself. */
async function stopped(attacker) {
  const reply = once(attacker, 'message');
  attacker.send('stop');
  const [outcomes] = await Promise.race([reply, sleep(STOP_WITHIN_MS, [{ 'did not stop': 1 }])]);
  attacker.kill('SIGKILL');
  return outcomes;
}

/** Waits until the victim was served well for a second, at most `withinMs`. */
async function recovered({ samples }, ended, withinMs) {
  const deadline = ended + withinMs;
  while (performance.now() < deadline) {
    await sleep(100);
    const now = performance.now();
    if (now - ended > CALM_MS && recoveredAfter(samples, 0, ended) < now - ended - CALM_MS) return;
  }
}

/** The longest time for which the event loop was blocked since the call before this one, in milliseconds. */
export async function longestLag(url) {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(30_000) });
  const [, lag] = /^heddle_event_loop_lag_seconds\{quantile="1"\} (\S+)/m.exec(
    await response.text(),
  );
  return Number(lag) * 1000;
}

export async function newKey(admin, scope, role) {
  const { status, text } = await admin('/admin/keys/create', {
    user: `${scope}-${role}`,
    scope,
    role,
  });
  if (status !== 200) throw new Error(`No key: ${status} ${text}`);
  return JSON.parse(text).key;
}

function within(promise, ms, otherwise) {
  const failed = sleep(ms, undefined, { ref: false }).then(() => {
    throw new Error(`${otherwise} within ${ms} ms.`);
  });
  return Promise.race([promise, failed]);
}
