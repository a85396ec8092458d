interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** µs */
  readonly ts: number;
  readonly dur?: number;
  /** CPU time in µs. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** A task of the main thread of the page, and what took most of its CPU, for the message of a test that fails. */
export interface LongTask {
  readonly ms: number;
  readonly in: readonly string[];
}

/** Tasks with their CPU times, and what they consist of: events, layout, scripts and garbage collections. */
export const TRACE_CATEGORIES = [
  'toplevel',
  '__metadata',
  'devtools.timeline',
  'v8',
  'disabled-by-default-v8.gc',
];

const LONG_MS = 50;
const SHOWN_EVENTS = 8;

const isMainThreadOf = (traceEvents: readonly TraceEvent[]) => {
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return ({ pid, tid }: TraceEvent) => threads.has(`${pid} ${tid}`);
};

/** A task on a busy machine is long although it did little, so its CPU time counts. */
export function longTasksIn(trace: Buffer): LongTask[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: TraceEvent[] };
  const events = traceEvents.filter(isMainThreadOf(traceEvents));
  const tasks = events.filter(({ name }) => name.endsWith('RunTask'));
  if (!tasks.some(({ tdur }) => tdur !== undefined)) throw new Error('The trace has no CPU times.');
  return tasks
    .map((task) => ({ ms: cpuMs(task), in: largestIn(task, events) }))
    .filter(({ ms }) => ms > LONG_MS);
}

function largestIn(task: TraceEvent, events: readonly TraceEvent[]): string[] {
  const end = task.ts + (task.dur ?? 0);
  return events
    .filter((one) => one !== task && one.ph === 'X' && one.ts >= task.ts && one.ts < end)
    .sort((a, b) => cpuMs(b) - cpuMs(a))
    .slice(0, SHOWN_EVENTS)
    .map((one) => `${one.name} ${cpuMs(one).toFixed(1)} ms`);
}

const cpuMs = ({ tdur = 0 }: TraceEvent): number => tdur / 1000;
