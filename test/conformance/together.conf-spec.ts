import { join } from 'node:path';
import { aProject, sharedServer } from '../support/test-server.js';
import { RecordingProxy } from '../support/recording-proxy.js';
import { here, PYTHON, runScript, TYPESCRIPT } from './scenarios.js';

const OWN = 300;

const isWithoutPython = PYTHON.program === '';
const describeBoth = isWithoutPython ? describe.skip : describe;
const why = isWithoutPython ? ' (skipped: Python is not installed here)' : '';

describeBoth(`Both SDKs on one project at once${why}`, () => {
  let proxy: RecordingProxy;

  beforeAll(async () => void (proxy = await RecordingProxy.to(process.env['TEST_URL']!)));
  afterAll(() => proxy.close());

  it('read each other’s calls, every one once, and share the versions of a name', async () => {
    const project_id = aProject();
    const numbers = [project_id, String(OWN), String(2 * OWN)];

    const [python, typescript] = await Promise.all([
      runScript(PYTHON, [join(here, 'python/together.py'), ...numbers], proxy.url),
      runScript(TYPESCRIPT, [join(here, 'typescript/together.mjs'), ...numbers], proxy.url),
    ]);

    expect(read(python.output)).toBe(`READ ${2 * OWN} ${2 * OWN} ${OWN}`);
    expect(read(typescript.output)).toBe(`READ ${2 * OWN} ${2 * OWN} ${OWN}`);
    const { objs } = await sharedServer().post('/objs/query', {
      project_id,
      filter: { object_ids: ['shared'], is_op: false },
    });
    expect(objs.map((o: any) => o.version_index)).toEqual([...Array(12).keys()]);
    expect(proxy.failures()).toEqual([]);
  });
});

const read = (output: string) => /^READ .*$/m.exec(output)?.[0] ?? output.slice(-3000);
