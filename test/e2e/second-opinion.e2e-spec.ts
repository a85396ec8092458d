import { isDeepStrictEqual } from 'node:util';
import { Asker, Dice, someCalls } from '../oracle/oracle-cases.js';
import { expectedIds } from '../oracle/oracle-answer.js';
import type { SentCall } from '../oracle/oracle-call.js';
import { aProject, theHouse } from '../support/house.js';
import { printInstant } from '@app/wire';

/** `ORACLE_REQUESTS=50000 ORACLE_SEED=7 npm run test:e2e` is the long form. */
const REQUESTS = Number(process.env['ORACLE_REQUESTS'] ?? 2000);
const SEED = Number(process.env['ORACLE_SEED'] ?? 20260301);
const DATASETS = 4;
const CALLS = 70;
const AT_ONCE = 6;

const house = theHouse();

/**
 * Payloads go out as the text they are: JSON.stringify would already lose what this is about. Calls come in several
 * writes, so that there are rows behind them which count no more: without their end, with another name, deleted.
 */
async function send(project_id: string, calls: readonly SentCall[]): Promise<void> {
  const doomed = calls.slice(0, 8).map((call) => ({ ...call, id: `${call.id}-deleted` }));
  const unnamed = calls.map((call, i) => (isRenamed(i) ? { ...call, display_name: 'old' } : call));
  await upsert([...unnamed, ...doomed].map((call) => startOf(project_id, call)));
  await give(project_id, calls);
  await visible(project_id, CALLS + doomed.length);
  await upsert([...calls, ...doomed].flatMap((call) => endOf(project_id, call)));
  await house.post('/calls/delete', { project_id, call_ids: doomed.map(({ id }) => id) });
  for (const { id, display_name } of calls.filter((_, i) => isRenamed(i)))
    await house.post('/call/update', { project_id, call_id: id, display_name: display_name ?? '' });
  await visible(project_id, CALLS);
}

/** Every so many calls get their name later. */
const isRenamed = (i: number) => i % 12 === 0;

async function upsert(items: readonly string[]): Promise<void> {
  const answer = await house.send('/call/upsert_batch', `{"batch":[${items.join(',')}]}`);
  expect(answer.status).toBe(200);
}

function startOf(project_id: string, call: SentCall): string {
  const { id, trace_id, parent_id, thread_id, op_name, display_name, wb_run_id, wb_run_step } =
    call;
  const { attributes, inputs } = call;
  const started_at = printInstant(call.started_at);
  const ids = { project_id, id, trace_id, parent_id, thread_id, wb_run_id, wb_run_step };
  const head = JSON.stringify({ ...ids, op_name, display_name, started_at });
  return `{"mode":"start","req":{"start":${head.slice(0, -1)},"attributes":${attributes},"inputs":${inputs}}}}`;
}

function endOf(
  project_id: string,
  { id, ended_at, exception, output, summary }: SentCall,
): string[] {
  if (ended_at === null) return [];
  const tail = JSON.stringify({ project_id, id, exception, ended_at: printInstant(ended_at) });
  return [
    `{"mode":"end","req":{"end":${tail.slice(0, -1)},"output":${output ?? 'null'},"summary":${summary ?? '{}'}}}}`,
  ];
}

/** Of each call's feedback one after the other: it is by their times that the newest is known. */
async function give(project_id: string, calls: readonly SentCall[]): Promise<void> {
  const most = Math.max(...calls.map(({ feedback }) => feedback.length));
  for (let nth = 0; nth < most; nth++) {
    const records = calls.flatMap(({ id, feedback }) => {
      const { type, payload } = feedback[nth] ?? {};
      const weave_ref = `weave:///${project_id}/call/${id}`;
      const head = JSON.stringify({ project_id, weave_ref, feedback_type: type });
      return type === undefined ? [] : [`${head.slice(0, -1)},"payload":${payload}}`];
    });
    const answer = await house.send('/feedback/batch/create', `{"batch":[${records.join(',')}]}`);
    expect(answer.status).toBe(200);
  }
}

async function visible(project_id: string, calls: number): Promise<void> {
  for (let count = -1; count !== calls;) {
    ({ count } = await house.post('/calls/query_stats', { project_id }));
  }
}

type Ways = 'query' | 'stream' | 'stats';

async function answerTo(project_id: string, request: object, way: Ways): Promise<unknown> {
  const body = { project_id, columns: ['id'], ...request };
  const path = { query: 'query', stream: 'stream_query', stats: 'query_stats' }[way];
  const answer = await house.send(`/calls/${path}`, body);
  if (answer.status === 400) return undefined;
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  if (way === 'stats') return answer.json().count;
  const calls =
    way === 'query'
      ? answer.json().calls
      : answer.text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line));
  return calls.map(({ id }: { id: string }) => id);
}

describe('every answer', () => {
  it.each(Array.from({ length: DATASETS }, (_, i) => i))(
    'is the one a slow and obvious evaluator gives (dataset %i)',
    async (dataset) => {
      const dice = new Dice(SEED + dataset);
      const project_id = aProject();
      const calls = someCalls(dice, CALLS);
      await send(project_id, calls);

      const asker = new Asker(dice, calls);
      const differences: string[] = [];
      const ask = async () => {
        const asked = asker.request();
        const way = dice.of<Ways>(['query', 'query', 'query', 'stats', 'stream']);
        const { sort_by: _, offset: __, ...countable } = asked;
        const request = way === 'stats' ? countable : asked;
        const ids = expectedIds(calls, request);
        const expected = way === 'stats' ? ids?.length : ids;
        const actual = await answerTo(project_id, request, way);
        if (!isDeepStrictEqual(actual, expected)) {
          differences.push(JSON.stringify({ request, way, actual, expected }));
        }
      };
      const lane = async () => {
        for (let i = 0; i < REQUESTS / DATASETS / AT_ONCE && differences.length < 3; i++)
          await ask();
      };
      await Promise.all(Array.from({ length: AT_ONCE }, lane));
      expect(differences).toEqual([]);
    },
    REQUESTS * 200,
  );
});
