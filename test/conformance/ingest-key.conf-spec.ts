import { join } from 'node:path';
import { eventually } from '../support/processes.js';
import { RecordingProxy } from '../support/recording-proxy.js';
import { aProject, sharedServer } from '../support/test-server.js';
import { here, PYTHON, runScript, TYPESCRIPT } from './scenarios.js';

const isWithoutPython = PYTHON.program === '';
/** The TypeScript SDK reads the rows of a dataset back when it saves one, which needs the role `write`. */
const SDKS = [
  { sdk: TYPESCRIPT, script: 'typescript/only-writes.mjs', objects: ['settings'] },
  ...(isWithoutPython
    ? []
    : [{ sdk: PYTHON, script: 'python/only_writes.py', objects: ['rows', 'settings'] }]),
];

/** The key that stands in every traced program. */
describe('A key of the role ingest', () => {
  let proxy: RecordingProxy;

  beforeAll(async () => void (proxy = await RecordingProxy.to(process.env['TEST_URL']!)));
  afterAll(() => proxy.close());

  it.each(SDKS)(
    'is enough for $script: $objects and calls',
    async ({ sdk, script, objects }) => {
      const server = sharedServer();
      const project_id = aProject();
      const key = await server.post('/admin/keys/create', {
        user: 'eve',
        scope: project_id,
        role: 'ingest',
      });

      const ended = await runScript(sdk, [join(here, script), project_id], proxy.url, key.key);

      expect(ended.output).toContain('WRITTEN');
      // A read waits for writes of its own user only.
      await eventually(
        async () => (await server.post('/calls/query_stats', { project_id })).count === 40,
        20_000,
      );
      const { objs } = await server.post('/objs/query', { project_id, filter: { is_op: false } });
      expect(objs.map(({ object_id }: any) => object_id).sort()).toEqual(objects);
      expect(proxy.exchanges.filter(({ status }) => status >= 400)).toEqual([]);
    },
    120_000,
  );
});
