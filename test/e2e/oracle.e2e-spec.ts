import { isDeepStrictEqual } from 'node:util';
import { connectStore } from '@app/clickhouse';
import { readConfig } from '@app/config';
import type { CallsQueryRequest } from '@app/contracts';
import { readLocalStores } from '@app/embedded';
import { expectedIds } from '../oracle/oracle-response.js';
import { OracleClient } from '../oracle/oracle-client.js';
import { Random, someCalls } from '../oracle/oracle-cases.js';
import { send, type Writable } from '../oracle/oracle-writes.js';
import { aReadContext, callsReader } from '../support/calls-reader.js';
import { aProject, sharedServer } from '../support/test-server.js';

/** `ORACLE_REQUESTS=50000 ORACLE_SEED=7 npm run test:e2e` runs longer with other data. */
const REQUESTS = Number(process.env['ORACLE_REQUESTS'] ?? 150);
const SEED = Number(process.env['ORACLE_SEED'] ?? 20260301);
const DATASETS = 4;
const CALLS = 70;
const AT_ONCE = 6;

type Ways = 'query' | 'stream' | 'stats';

/** The service under test. `response` resolves with ids or a count, and with undefined for a refusal. */
interface Subject extends Writable {
  readonly response: (request: CallsQueryRequest, way: Ways) => Promise<unknown>;
}

async function compare(
  { response, ...to }: Subject,
  seed: number,
  requests: number,
): Promise<void> {
  const random = new Random(seed);
  const project_id = aProject();
  const calls = someCalls(random, CALLS, project_id);
  await send(to, project_id, calls);

  const client = new OracleClient(random, calls);
  const differences: string[] = [];
  const compareOne = async () => {
    const requested = client.request();
    const way = random.of<Ways>(['query', 'query', 'query', 'stats', 'stream']);
    const { sort_by: _, offset: __, ...countable } = requested;
    const request = way === 'stats' ? countable : requested;
    const ids = expectedIds(calls, request);
    const expected = way === 'stats' ? ids?.length : ids;
    const actual = await response({ project_id, columns: ['id'], ...request }, way);
    if (!isDeepStrictEqual(actual, expected)) {
      differences.push(JSON.stringify({ request, way, actual, expected }));
    }
  };
  const runner = async () => {
    for (let i = 0; i < requests / AT_ONCE && differences.length < 3; i++) await compareOne();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runner));
  expect(differences).toEqual([]);
}

const ids = (calls: readonly { id: string }[]) => calls.map(({ id }) => id);
const parsed = (lines: readonly string[]) => lines.map((line) => JSON.parse(line));

describe('every response', () => {
  const server = sharedServer();
  const PATHS = { query: 'query', stream: 'stream_query', stats: 'query_stats' };

  const overHttp: Subject = {
    server,
    count: async (project_id) => (await server.post('/calls/query_stats', { project_id })).count,
    response: async (request, way) => {
      const response = await server.send(`/calls/${PATHS[way]}`, request);
      if (response.status === 400) return undefined;
      if (response.status !== 200) throw new Error(`${response.status}: ${response.text}`);
      if (way === 'stats') return response.json().count;
      return ids(
        way === 'query' ? response.json().calls : parsed(response.text.split('\n').filter(Boolean)),
      );
    },
  };

  it.each(Array.from({ length: DATASETS }, (_, i) => i))(
    'is the one of the oracle, a slow and simple evaluator (dataset %i)',
    (dataset) => compare(overHttp, SEED + dataset, REQUESTS / DATASETS),
    REQUESTS * 2000,
  );
});

describe('every response that is read in small windows', () => {
  const { clickhouse } = readLocalStores(process.env['TEST_DATA_DIR']!)!;
  const store = connectStore({ ...readConfig({}).clickhouse, ...clickhouse }, 'test');
  afterAll(() => store.close());

  it(
    'is the one of the oracle',
    async () => {
      const window = { min: 2, first: 3, max: 7 };
      const bytes = 32 * 1024 * 1024;
      const thresholds = { page: 4, window, found: 3, ids: 3, fewIds: 1, bytes };
      const reader = callsReader(store, thresholds);
      const query = async (request: CallsQueryRequest) => {
        const found: string[] = [];
        for await (const records of reader.records(request, aReadContext())) found.push(...records);
        return ids(parsed(found));
      };
      const inPieces: Subject = {
        server: sharedServer(),
        count: async (project_id) => (await reader.stats({ project_id }, aReadContext())).count,
        response: (request, way) =>
          (way === 'stats'
            ? reader.stats(request, aReadContext()).then(({ count }) => count)
            : query(request)
          ).catch((error: unknown) => {
            if ((error as { refusal?: string }).refusal === 'value') return undefined;
            throw error;
          }),
      };

      await compare(inPieces, SEED + DATASETS, REQUESTS / 10);
    },
    REQUESTS * 2000,
  );
});
