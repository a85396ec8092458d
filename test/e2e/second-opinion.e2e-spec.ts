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

/** Payloads go out as the text they are: JSON.stringify would already lose what this is about. */
async function send(project_id: string, calls: readonly SentCall[]): Promise<void> {
  const items = calls.flatMap((call) => {
    const { attributes, inputs, output, summary, input_refs: _, ...plain } = call;
    const { id, ended_at, exception, started_at, ...start } = plain;
    const head = JSON.stringify({ project_id, id, ...start, started_at: printInstant(started_at) });
    const begun = `{"mode":"start","req":{"start":${head.slice(0, -1)},"attributes":${attributes},"inputs":${inputs}}}}`;
    if (ended_at === null) return [begun];
    const tail = JSON.stringify({ project_id, id, exception, ended_at: printInstant(ended_at) });
    const over = `{"mode":"end","req":{"end":${tail.slice(0, -1)},"output":${output ?? 'null'},"summary":${summary ?? '{}'}}}}`;
    return [begun, over];
  });
  const answer = await house.send('/call/upsert_batch', `{"batch":[${items.join(',')}]}`);
  expect(answer.status).toBe(200);
}

async function visible(project_id: string): Promise<void> {
  for (let count = 0; count < CALLS;) {
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
      await visible(project_id);

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
