import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@app/embedded';
import type { Browser } from 'playwright-core';
import { PYTHON, runScript, TYPESCRIPT } from '../conformance/scenarios.js';
import { cleanUp, root, startStandalone, temporaryDirectory } from '../support/processes.js';
import { blockAfter } from '../support/readme.js';
import { TestServer } from '../support/test-server.js';
import { openBrowser, PageSession } from './page-session.js';
import { sendCalls, write } from './traces.js';

const KEY = 'the-key-of-the-first-start';
const project = 'me/first';
const scripts = join(root, 'test/browser/sdk');

/** A fresh server of its own: nothing is in it, and it is restarted. */
describe('the first minutes of a fresh server', () => {
  let browser: Browser;
  let session: PageSession;
  let server: TestServer;
  let start: () => ReturnType<typeof startStandalone>;
  let program: Awaited<ReturnType<typeof startStandalone>>;
  const dataDir = temporaryDirectory();

  beforeAll(async () => {
    const PORT = String(await freePort());
    server = new TestServer(`http://127.0.0.1:${PORT}`, KEY);
    start = () => startStandalone(dataDir, { PORT, HEDDLE_API_KEY: KEY, HEDDLE_USER: 'ann' });
    [browser, program] = await Promise.all([openBrowser(), start()]);
    session = await PageSession.open(browser, server.url);
  });
  afterAll(async () => {
    await browser.close();
    await cleanUp();
  });

  /** Opens a link that an SDK has printed. The TypeScript SDK prints another host. */
  const open = (link: string) => {
    const { pathname, search } = new URL(link);
    return session.goto(pathname + search);
  };
  const one = (output: string, pattern: RegExp): string => {
    const found = pattern.exec(output)?.[0];
    if (found === undefined) throw new Error(`${pattern} is not in the output:\n${output}`);
    return found;
  };
  const selected = () => session.page.getByRole('treeitem', { selected: true });

  it('turns from the lines of the SDKs into the first trace when they are run, without a reload', async () => {
    await session.goto('/');
    await session.signIn(KEY);
    await session.page.getByText('Waiting for the first trace').waitFor();
    expect(await session.violations()).toEqual([]);
    const moving = () => session.page.evaluate(() => document.getAnimations().length);
    expect(await moving()).toBe(0);
    await session.page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await moving()).toBeGreaterThan(0);
    await session.page.emulateMedia({ reducedMotion: 'reduce' });
    await session.page.getByRole('tab', { name: 'TypeScript' }).click();
    await session.page.reload();
    await session.page.getByRole('tab', { name: 'TypeScript', selected: true }).waitFor();
    await session.page.evaluate(() => Object.assign(window, { isSamePage: true }));

    const lines = blockAfter('With the Python SDK', 'python');
    const path = join(temporaryDirectory(), 'first.py');
    writeFileSync(path, lines);
    const sdk = PYTHON.program === '' ? undefined : runScript(PYTHON, [path], server.url, KEY);
    if (sdk === undefined) await sendCalls(server, project, ['greet']);

    await session.page.getByRole('link', { name: 'greet' }).waitFor();
    expect(session.page.url()).toBe(`${server.url}/${project}/weave/traces`);
    expect(await session.page.evaluate(() => 'isSamePage' in window)).toBe(true);
    const { code, output } = (await sdk) ?? { code: 0, output: '' };
    expect([code, output]).toEqual([0, expect.any(String)]);
    if (sdk === undefined) return;
    await open(one(output, /http\S+\/r\/call\/\S+/));
    await selected().getByText('greet').waitFor();
  });

  const itWithPython = PYTHON.program === '' ? it.skip : it;
  itWithPython(
    'opens every link that the Python SDK prints, and shares saved views with it',
    async () => {
      await session.goto(`/${project}/weave/traces?q=op+~+greet&cols=cost,inputs.name`);
      await session.page.getByText('1 of 1 traces').waitFor();
      await session.page.getByRole('button', { name: 'Views' }).click();
      await session.page.getByLabel('Name of the view').fill('Of the page');
      await session.page.getByRole('button', { name: 'Save as a new view' }).click();
      await session.page.waitForURL(/view=Of-the-page/);

      const args = [join(scripts, 'links.py'), project, 'Of-the-page'];
      const { code, output } = await runScript(PYTHON, args, server.url, KEY);

      expect([code, output]).toEqual([0, expect.any(String)]);
      expect(output).toContain(
        "loaded Of the page traces ['summary.weave.trace_name', 'summary.weave.total_cost', 'inputs.name'] 1",
      );
      await open(one(output, /http\S+\/weave(?=\s)/));
      await session.page.getByRole('link', { name: 'shout' }).first().waitFor();
      await open(one(output, /http\S+\/r\/call\/\S+/));
      await selected().getByText('shout').waitFor();
      await open(one(output, /http\S+\/ops\/shout\S+/));
      await session.page.getByText('return f"{word}!"').first().waitFor();
      await open(one(output, /http\S+\/objects\/settings\S+/));
      await session.page.getByText('temperature').first().waitFor();
      await open(one(output, /http\S+\/leaderboards\/board/));
      await session.page.getByRole('heading', { name: /board/ }).first().waitFor();
      const loudest = session.page.getByRole('row').filter({ hasText: 'shout' });
      await loudest.getByRole('link', { name: /best/ }).waitFor();
      expect(await session.violations()).toEqual([]);
      await open(one(output, /http\S+\/agents\/conversations\/\S+/));
      await session.page.getByText('shout').first().waitFor();
      await open(one(output, /http\S+\/traces\?view=\S+/));
      await session.page.getByRole('columnheader', { name: 'inputs.word' }).waitFor();
      await session.page.getByRole('link', { name: 'shout' }).first().waitFor();
      await open(one(output, /http\S+\/evaluations\?view=\S+/));
      await session.page.getByText('Evaluation.evaluate').first().waitFor();
      expect(session.errors.splice(0)).toEqual([]);

      // The evaluations of the SDK itself.
      await session.goto(`/${project}/weave/evaluations`);
      const runs = session.page.getByRole('checkbox', { name: /^Compare/ });
      await runs.nth(1).waitFor();
      for (const run of await runs.all()) await run.check();
      await session.page.getByRole('link', { name: 'Compare 2 runs' }).click();
      const difference = /2 better, 0 worse of 3|0 better, 2 worse of 3/;
      await session.page.getByText(difference).first().waitFor();
      await session.page
        .getByRole('region', { name: /^Examples/ })
        .getByRole('link', { name: /^Trace of/ })
        .first()
        .click();
      await selected().getByText('predict_and_score').waitFor();
      expect(session.errors.splice(0)).toEqual([]);
    },
  );

  it('opens every link of the TypeScript SDK', async () => {
    const args = [join(scripts, 'links.mjs'), project];
    const { code, output } = await runScript(TYPESCRIPT, args, server.url, KEY);

    expect([code, output]).toEqual([0, expect.any(String)]);
    await open(one(output, /http\S+\/r\/call\/\S+/));
    await selected().getByText('reply').waitFor();
    await open(one(output, /http\S+\/objects\/words\S+/));
    await session.page.getByRole('heading', { name: /words/ }).waitFor();
    await open(one(output, /http\S+\/ops\/reply\S+/));
    await session.page.getByRole('heading', { name: /reply/ }).waitFor();
    expect(session.errors.splice(0)).toEqual([]);
  });

  it('reads a trace that has ended again while calls of it may not be stored yet', async () => {
    const startMs = Date.now() - 3_600_000;
    const call = { id: 'late-root', op: 'late', trace: 'late', startMs, ms: 900 };
    const child = { ...call, id: 'late-child', op: 'child', parent: call.id, ms: 500 };
    await write(server, project, [call]);
    await session.goto(`/${project}/weave/traces/late`);
    await session.page.getByText(/ 1 call$/).waitFor();
    const worker = Number.parseInt(readFileSync(join(dataDir, 'worker.pid'), 'utf8'));
    process.kill(worker, 'SIGSTOP');
    try {
      await write(server, project, [child]);
      const tree = session.page.waitForResponse(/\/trace\/tree$/);
      await session.page.reload();
      expect((await tree).headers()['x-heddle-pending']).toBe('1');
      await selected().getByText('late').waitFor();
    } finally {
      process.kill(worker, 'SIGCONT');
    }

    await session.page.getByText('2 calls').waitFor();
    await session.page.getByText('reading…').waitFor({ state: 'detached' });
    expect(session.errors.splice(0)).toEqual([]);
  });

  it('follows new traces over a restart of the server: none is missing, none is there twice', async () => {
    const tails: string[] = [];
    session.page.on('request', (request) => {
      if (request.url().endsWith('/calls/tail')) tails.push(request.postData() ?? '');
    });
    await session.goto(`/${project}/weave/traces?q=op+~+followed`);
    await session.page.getByText('No trace matches').waitFor();
    await sendCalls(server, project, ['followed.1', 'followed.2']);
    await session.page.getByRole('link', { name: 'followed.2' }).waitFor();

    await program.stop();
    await session.page.getByRole('button', { name: 'Reconnecting…' }).waitFor();
    await session.page.getByRole('link', { name: 'followed.2' }).waitFor();
    program = await start();
    await sendCalls(server, project, ['followed.3', 'followed.4']);

    await session.page.getByRole('link', { name: 'followed.4' }).waitFor();
    await session.page.getByRole('button', { name: 'Live' }).waitFor();
    await session.page.getByText('4 of 4 traces').waitFor();
    expect(await session.page.getByRole('link', { name: /^followed/ }).allInnerTexts()).toEqual(
      [4, 3, 2, 1].map((n) => `followed.${n}`),
    );
    expect(tails.at(-1)).toContain('"since":');
    expect(await session.violations()).toEqual([]);
  });
});
