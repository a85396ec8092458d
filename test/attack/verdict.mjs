const KINDS = ['write', 'read', 'healthz'];
const MiB = 1024 * 1024;

/** What the victim may notice. `ratio` compares with the quiet time before, and allows at least `floorMs`. */
export const LIMITS = {
  p99Ms: 1000,
  ratio: 10,
  floorMs: 100,
  healthzMs: 250,
  recoverySeconds: 5,
  residentBytes: 1024 * MiB,
};

/** A response that takes longer than this is not baseline. */
const CALM_RESPONSE_MS = 250;

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** Median, p99 and maximum of each kind of request: before, during and after the attack. */
export function latencies(samples, began, ended) {
  const phases = {
    before: ({ at }) => at < began,
    during: ({ at }) => at >= began && at < ended,
    after: ({ at }) => at >= ended,
  };
  return Object.fromEntries(
    Object.entries(phases).map(([phase, isIn]) => [phase, byKind(samples.filter(isIn))]),
  );
}

function byKind(samples) {
  return Object.fromEntries(
    KINDS.map((kind) => {
      const ms = samples.filter((sample) => sample.kind === kind).map((sample) => sample.ms);
      const failed = ms.filter((one) => one === Infinity).length;
      const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(ms, share));
      return [kind, { count: ms.length, failed, p50, p99, most }];
    }),
  );
}

/** Milliseconds from the end of the attack until the last response that came too late, or failed. */
export function recoveredAfter(samples, began, ended) {
  const ends = samples
    .filter(({ at, ms }) => at >= began && ms > CALM_RESPONSE_MS)
    .map(({ at, ms }) => (ms === Infinity ? at : at + ms) - ended);
  return Math.max(0, ...ends);
}

/** One sentence for each limit that was exceeded. */
export function verdictOf(measured, limits = LIMITS) {
  const { before, during, recoverySeconds, memory, hasRestarted } = measured;
  const failed = [];
  for (const kind of ['write', 'read']) {
    const allowed = Math.min(
      limits.p99Ms,
      Math.max(limits.floorMs, limits.ratio * before[kind].p99),
    );
    if (!(during[kind].p99 <= allowed))
      failed.push(`${kind} p99 ${inMs(during[kind].p99)}, allowed ${inMs(allowed)}`);
  }
  if (!(during.healthz.p99 <= limits.healthzMs))
    failed.push(`healthz p99 ${inMs(during.healthz.p99)}, allowed ${inMs(limits.healthzMs)}`);
  if (recoverySeconds > limits.recoverySeconds)
    failed.push(
      `baseline after ${recoverySeconds.toFixed(1)} s, allowed ${limits.recoverySeconds} s`,
    );
  if (memory.most > limits.residentBytes)
    failed.push(`${inMiB(memory.most)} MiB resident, allowed ${inMiB(limits.residentBytes)}`);
  if (hasRestarted) failed.push('a process has ended');
  return failed;
}

export const inMiB = (bytes) => Math.round(bytes / MiB);
const inMs = (ms) => (ms === Infinity ? 'failed' : `${Math.round(ms)} ms`);

/** The result of one attack as text. */
export function report({ name, what, outcomes, before, during, after, ...rest }) {
  const { recoverySeconds, memory, failed, lagMs, stolen, isRepeated = false } = rest;
  const result = isRepeated ? 'REPEAT' : failed.length === 0 ? 'PASSED' : 'FAILED';
  const row = (kind) =>
    [before, during, after]
      .map((phase) => phase[kind])
      .map(({ p50, p99, most }) => `${inMs(p50)} / ${inMs(p99)} / ${inMs(most)}`.padEnd(30))
      .join('');
  const counts = Object.entries(outcomes).map(([outcome, count]) => `${outcome} × ${count}`);
  return [
    `${result}  ${name}: ${what}`,
    `  responses to the attacker: ${counts.join(', ') || 'none'}`,
    `  p50 / p99 / most${' '.repeat(2)}${['before', 'during', 'after'].map((one) => one.padEnd(30)).join('')}`,
    ...KINDS.map((kind) => `  ${kind.padEnd(18)}${row(kind)}`),
    `  baseline after ${recoverySeconds.toFixed(1)} s; resident MiB ${['quiet', 'most', 'after'].map((one) => `${one} ${inMiB(memory[one])}`).join(', ')}`,
    `  longest time for which the event loop was blocked: ${inMs(lagMs)}; the host gave ${Math.round(stolen * 100)} % of the processors to others`,
    ...failed.map((sentence) => `  ✗ ${sentence}`),
  ].join('\n');
}
