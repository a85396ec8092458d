import { eventually } from '../support/processes.js';
import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { endItem, startItem } from '../support/records.js';
import { aProject, sharedServer } from '../support/test-server.js';
import { evaluate, publishDataset } from './analysis-data.js';
import { openBrowser, PageSession } from './page-session.js';

const server = sharedServer();
const EXAMPLES = 500;
const DAY_MS = 86_400_000;

/** One project and one browser for all of them. Each test ends at an address of its own. */
describe('the pages of an analyst', () => {
  const project = aProject();
  let browser: Browser;
  let session: PageSession;
  let runs: string[];

  beforeAll(async () => {
    const rows = Array.from({ length: EXAMPLES }, (_, n) => ({ text: `example ${n}` }));
    const dataset = await publishDataset(server, project, 'quiz', rows);
    const run = (model: string, isRight: (n: number) => boolean, seconds: number) =>
      evaluate(
        server,
        project,
        model,
        dataset.rowRefs.map((example, n) => ({ example, isRight: isRight(n), seconds })),
      );
    runs = [
      await run('small', (n) => n >= 12, 0.5),
      await run('large', (n) => n >= 2 && n !== 400, 1.5),
    ];
    browser = await openBrowser();
    session = await PageSession.open(browser, server.url);
    await session.goto(`/${project}/weave/evaluations`);
    await session.signIn(server.key);
  });
  afterEach(() => {
    expect(session.errors.splice(0)).toEqual([]);
  });
  afterAll(() => browser.close());

  const region = (name: string | RegExp) => session.page.getByRole('region', { name });
  const link = (name: string | RegExp) => session.page.getByRole('link', { name });

  it('lists evaluations with a leaderboard, and compares those that are selected', async () => {
    const board = region('Leaderboard').getByRole('row', { name: /large/ });
    await board.getByRole('link', { name: /best/ }).waitFor();
    for (const name of ['small', 'large'])
      await session.page.getByRole('checkbox', { name: `Compare ${name} on quiz` }).check();
    expect(await session.violations()).toEqual([]);
    await link('Compare 2 runs').click();

    const metric = region('Metrics').getByRole('row', { name: /correct/ });
    await metric.getByText('+0.018, 10 better, 1 worse of 500').waitFor();
    await metric.getByText(/worse of 500\s*significant, p = 0\.012/).waitFor();
  });

  it('shows the examples that became worse first, and every cell opens its trace', async () => {
    await session.page.getByText('1 of 500 examples became worse').waitFor();
    const first = region('Examples').getByRole('row').nth(1);
    await first.getByText('example 400').waitFor();
    await first.getByText('a wrong reply').waitFor();
    expect(await session.violations()).toEqual([]);
    await first.getByRole('link', { name: /Trace of large on quiz/ }).click();
    await session.page.getByRole('tree').waitFor();
    expect(session.page.url()).toContain('/r/call/');
  });

  it('aligns two traces by op path, and two calls by payload', async () => {
    await session.page.goBack();
    await region('Examples').getByRole('link', { name: 'Diff' }).first().click();
    const calls = region('Calls by op path');
    await calls
      .getByRole('row', { name: /small\.predict/ })
      .getByText('not in the second')
      .waitFor();
    await calls
      .getByRole('row', { name: /large\.predict/ })
      .getByText('not in the first')
      .waitFor();
    await region('Output by path')
      .getByRole('row', { name: /scores\.correct/ })
      .waitFor();
    expect(await session.violations()).toEqual([]);
    await session.page.getByRole('button', { name: 'As text' }).click();
    await region('Output as text').getByText('a wrong reply').waitFor();
    expect(session.page.url()).toContain('as=text');
  });

  it('keeps the scores of an evaluation whose dataset was deleted, and says so', async () => {
    await server.post('/obj/delete', { project_id: project, object_id: 'quiz', digests: null });
    await session.goto(`/${project}/weave/evaluations/compare?ids=${runs.join(',')}`);
    await session.page.getByText(/The dataset of these examples cannot be read/).waitFor();
    await region('Metrics').getByText('+0.018, 10 better, 1 worse of 500').waitFor();
    await region('Examples')
      .getByText(/attr\/rows\/id/)
      .first()
      .waitFor();
    expect(await session.violations()).toEqual([]);
  });

  it('annotates the items of a queue by keys alone', async () => {
    const { digest } = await server.post('/obj/create', {
      obj: {
        project_id: project,
        object_id: 'grade',
        builtin_object_class: 'AnnotationSpec',
        val: { name: 'Grade', field_schema: { type: 'string', enum: ['good', 'bad'] } },
      },
    });
    const grade = `weave:///${project}/object/grade:${digest}`;
    const queue = await server.post('/annotation_queues', {
      project_id: project,
      name: 'Review',
      scorer_refs: [grade],
    });
    await server.post(`/annotation_queues/${queue.id}/items`, {
      project_id: project,
      call_ids: runs,
      display_fields: ['inputs.model'],
    });
    await session.goto(`/${project}/weave/annotations`);
    await link('Review').press('Enter');
    await session.page.getByText('2 of 2 items left').waitFor();
    await session.page.getByText(/object\/small/).waitFor();
    await session.page.getByRole('button', { name: 'bad' }).waitFor();
    await session.page.keyboard.press('2');
    await session.page.getByRole('button', { name: 'bad', pressed: true }).waitFor();
    expect(await session.violations()).toEqual([]);
    await session.page.keyboard.press('c');
    await session.page.getByText('1 of 2 items left').waitFor();
    await session.page.getByText(/object\/large/).waitFor();
    await session.page.keyboard.press('s');
    await session.page.getByText('Everything in this queue is finished.').waitFor();

    const { result } = await server.post('/feedback/query', { project_id: project });
    expect(result).toMatchObject([
      { feedback_type: 'wandb.annotation.grade', payload: { value: 'bad' }, queue_id: queue.id },
    ]);
  });

  it('creates a queue, fills it by a filter, changes it and deletes it', async () => {
    await session.goto(`/${project}/weave/annotations`);
    await session.page.getByText('Create a queue').click();
    await session.page.getByRole('textbox', { name: 'Name' }).fill('Wrong replies');
    await session.page.getByRole('checkbox', { name: 'Grade' }).check();
    expect(await session.violations()).toEqual([]);
    await session.page.getByRole('button', { name: 'Create' }).click();
    await session.page.getByText('This queue is empty.').waitFor();

    await session.page.getByText('Add calls', { exact: true }).first().click();
    const filter = session.page.getByLabel(/^Filter/);
    await filter.fill('op ~');
    await session.page.getByRole('button', { name: 'Add calls' }).click();
    await session.page.getByRole('alert').waitFor();
    await filter.fill('output = "a wrong reply"');
    await session.page.getByRole('combobox', { name: 'Of' }).selectOption('All calls');
    await session.page.getByLabel('The newest').fill('5');
    await session.page.getByRole('button', { name: 'Add calls' }).click();
    await session.page.getByText('Added 5, 0 were in the queue before.').waitFor();
    await session.page.getByText('5 of 5 items left').waitFor();
    await session.page.getByRole('group', { name: 'Grade' }).waitFor();

    await session.page.getByText('Change the queue').click();
    await session.page.getByRole('textbox', { name: 'Name' }).fill('Wrong texts');
    await session.page.getByRole('checkbox', { name: 'Grade' }).uncheck();
    await session.page.getByRole('button', { name: 'Save' }).click();
    await session.page.getByRole('heading', { name: 'Wrong texts' }).waitFor();
    await session.page.getByText('This queue has no annotation specs.').waitFor();
    expect(await session.violations()).toEqual([]);
    await session.page.getByRole('button', { name: 'Delete the queue' }).click();
    await session.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await link('Review').waitFor();
    expect(await link('Wrong texts').count()).toBe(0);
  });

  it('shows ops with their code, prompts, and tags and aliases of versions', async () => {
    const bytes = new TextEncoder().encode('def reply(text):\n    return "yes"  # always\n');
    const form = new FormData();
    form.append('project_id', project);
    form.append('file', new Blob([bytes]), 'obj.py');
    const file = await fetch(`${server.url}/file/create`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}` },
      body: form,
    });
    const { digest } = (await file.json()) as { digest: string };
    const publish = (object_id: string, val: object) =>
      server.post('/obj/create', { obj: { project_id: project, object_id, val } });
    const type = { _type: 'CustomWeaveType', weave_type: { type: 'Op' } };
    const op = await publish('reply', { ...type, files: { 'obj.py': digest } });
    await server.post('/call/upsert_batch', {
      batch: [
        startItem({
          project_id: project,
          id: 'with-reply',
          op_name: `weave:///${project}/op/reply:${op.digest}`,
          display_name: 'a reply of this version',
        }),
      ],
    });
    const prompt = (content: string) =>
      publish('greeting', {
        _type: 'StringPrompt',
        _class_name: 'StringPrompt',
        _bases: ['Prompt', 'Object', 'BaseModel'],
        content,
      });
    await prompt('Greet **politely**.\nBe short.');
    await prompt('Greet **warmly**.\nBe short.');

    await session.goto(`/${project}/weave/objects?kind=ops`);
    await link('reply').click();
    await session.page.locator('pre span', { hasText: 'return' }).waitFor();
    expect(await session.violations()).toEqual([]);
    await link('Calls that used this version').click();
    await link('a reply of this version').waitFor();
    expect(await region('Traces').getByRole('link').count()).toBe(1);

    await session.goto(`/${project}/weave/prompts`);
    await link('greeting').click();
    await region('Prompt').getByText('warmly').waitFor();
    await session.page.getByLabel('New tag or alias').fill('approved');
    await session.page.getByRole('button', { name: 'Add tag' }).click();
    await session.page.getByRole('button', { name: 'Remove the tag approved' }).waitFor();
    await session.page.getByLabel('New tag or alias').fill('production');
    await session.page.getByRole('button', { name: 'Set alias' }).click();
    await session.page.getByRole('button', { name: 'Remove the alias production' }).waitFor();
    await session.page.getByLabel('Compare with').selectOption({ index: 1 });
    await region('Value by path').getByText('politely').waitFor();
    expect(await session.violations()).toEqual([]);
    expect(session.page.url()).toContain('diff=');
  });

  it('shows a dataset of 100,000 rows, sorted and filtered', async () => {
    const rows = Array.from({ length: 100_000 }, (_, n) => ({ n, text: `row number ${n}` }));
    await publishDataset(server, project, 'big', rows);
    await session.goto(`/${project}/weave/objects/big/versions/v0`);
    await session.page.getByText('100,000 rows').waitFor();
    const table = session.page.getByRole('table', { name: 'Rows' });
    await table.getByText('row number 0', { exact: true }).waitFor();
    expect(await session.elements()).toBeLessThan(1500);
    expect(await session.violations()).toEqual([]);
    await table.press('End');
    await table.getByText('row number 99999').waitFor();
    await table.getByRole('button', { name: 'n', exact: true }).click();
    await table.getByRole('button', { name: 'n ↑' }).click();
    await table.press('Home');
    await table.getByText('row number 99998').waitFor();
    await session.page.getByLabel('Rows that contain').fill('Number 7777');
    await session.page.getByLabel('Rows that contain').press('Enter');
    await session.page.getByText('11 rows of 100,000 read').waitFor();
  });

  it('compares the rows of two versions of a dataset by digest', async () => {
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ n }));
    await publishDataset(server, project, 'pair', rows);
    await publishDataset(server, project, 'pair', [...rows.slice(2), { n: 'a new row' }]);
    await session.goto(`/${project}/weave/objects/pair/versions/v0`);
    await session.page.getByLabel('Compare with').selectOption({ index: 1 });
    await session.page.getByText('998 rows are the same, 1 removed, 2 added.').waitFor();
    await region('Changed rows').getByText('a new row').waitFor();
    expect(await session.violations()).toEqual([]);
  });

  it('shows a conversation turn by turn, with the cost of each, and follows it', async () => {
    const turn = (n: number) => ({
      project_id: project,
      id: `turn-${n}`,
      trace_id: `turn-${n}`,
      thread_id: 'trip',
      turn_id: `turn-${n}`,
      op_name: 'chat',
      started_at: new Date(Date.now() - 60_000 + n * 1000).toISOString(),
      ended_at: new Date(Date.now() - 60_000 + n * 1000 + 500).toISOString(),
      attributes: {},
      inputs: { text: `Where to ${n}?` },
      output: `Reply ${n}.`,
      summary: { usage: { 'gpt-4o': { requests: 1, prompt_tokens: 1000, completion_tokens: 0 } } },
    });
    const complete = (...numbers: number[]) =>
      server.post(`/v2/${project}/calls/complete`, { batch: numbers.map(turn) });
    await complete(1, 2);
    await session.goto(`/${project}/weave/threads`);
    await link('trip').click();
    const second = session.page.getByRole('listitem', { name: 'Turn 2' });
    await second.getByText('Where to 2?').waitFor();
    await second.getByText('Reply 2.').waitFor();
    await second.getByText('500 ms').waitFor();
    await second.getByText('1,000 tokens').waitFor();
    expect(await second.getByText(/^\$0\.00\d+$/).count()).toBe(1);
    expect(await session.violations()).toEqual([]);
    await session.page.getByText('live', { exact: true }).waitFor();
    await complete(3);
    await session.page.getByRole('listitem', { name: 'Turn 3' }).getByText('Reply 3.').waitFor();
  });

  describe('with calls of yesterday', () => {
    const team = aProject();
    const noon = new Date(Date.now() - DAY_MS).setHours(12, 0, 0, 0);
    /** For the page it stays the same day, also when midnight passes during the tests. */
    const stayInDay = ({ page }: PageSession) => page.clock.setFixedTime(noon + DAY_MS);
    const rowIn = (name: string, row: RegExp) => region(name).getByRole('row', { name: row });

    beforeAll(async () => {
      const call = (n: number, op_name: string, more: { ms: number; exception?: string }) => {
        const id = `${op_name}-${n}`;
        const usage = { 'gpt-4o': { requests: 1, prompt_tokens: 1000, completion_tokens: 0 } };
        const started_at = new Date(noon + n * 1000).toISOString();
        const ended_at = new Date(noon + n * 1000 + more.ms).toISOString();
        const { exception = null } = more;
        const attributes = { team: 'blue', time_to_first_token_ms: 120 };
        return [
          startItem({ project_id: team, id, trace_id: id, started_at, op_name, attributes }),
          endItem({ project_id: team, id, ended_at, exception, summary: { usage } }),
        ];
      };
      const batch = [
        ...call(1, 'search', { ms: 150 }),
        ...call(2, 'search', { ms: 150, exception: 'Timeout' }),
        ...call(3, 'reply', { ms: 9_000 }),
      ];
      await server.post('/call/upsert_batch', { batch });
      const weave_ref = `weave:///${team}/call/reply-3`;
      const give = (feedback_type: string, payload: object) =>
        server.post('/feedback/create', { project_id: team, weave_ref, feedback_type, payload });
      await give('wandb.reaction.1', { emoji: '👎' });
      await give('wandb.note.1', { note: 'It names the wrong city.' });
      await stayInDay(session);
      await session.goto(`/${team}/weave/stats`);
    });

    it('finds the slowest calls of yesterday', async () => {
      await session.page.getByLabel('Period').selectOption('yesterday');
      await rowIn('All calls by op', /reply/).waitFor();
      await link('Slowest calls').click();
      await session.page.getByText('3 of 3 calls').waitFor();
      const rows = session.page.getByRole('region', { name: 'Traces' }).getByRole('row');
      await rows.nth(1).getByText('9.00 s').waitFor();
      await session.page.goBack();
    });

    it('shows the error rate of each op, and opens the calls of an op', async () => {
      const cells = rowIn('All calls by op', /search/).getByRole('cell');
      await cells.first().waitFor();
      expect(await cells.allInnerTexts()).toEqual([
        ...['2', '50.0 %', '150 ms', '150 ms', '150 ms', '0.00', '2,000', '120 ms'],
      ]);
      expect(await session.violations()).toEqual([]);
      await region('All calls by op').getByRole('link', { name: 'search' }).click();
      await session.page.getByText('2 of 2 calls').waitFor();
      await session.page.goBack();
    });

    it('shows where the latency is over time, and opens the calls of a place', async () => {
      await region('Latency over time')
        .getByRole('link', { name: /^1 traces of 5\.00 s to 10\.00 s/ })
        .click();
      await session.page.getByText('1 of 1 traces').waitFor();
      await session.page.goBack();
      await rowIn('Traces over time', /3,000/).getByRole('link').click();
      await session.page.getByText('3 of 3 traces').waitFor();
      await session.page.goBack();
    });

    it('draws lines over time, shows the values of a time, and opens its traces', async () => {
      const chart = (name: string) =>
        session.page.getByRole('img', { name: new RegExp(`^${name} over time; at most`) });
      for (const name of ['Errors', 'Traces', 'Tokens']) await chart(name).waitFor();
      const latency = chart('Latency');
      const most = (await latency.getAttribute('aria-label'))!.split(' at most ')[1]!;
      const { width } = (await latency.boundingBox())!;
      const at = (x: number) => ({ position: { x, y: 60 } });
      const values = () => latency.locator('.u-value').allInnerTexts();
      let x = 70;
      for (; x < width && !(await values()).includes(most); x += 5) await latency.hover(at(x));
      expect(await values()).toContain(most);
      expect(await session.violations()).toEqual([]);
      await latency.click(at(x - 5));
      await session.page.getByText('3 of 3 traces').waitFor();
      await session.page.goBack();
    });

    it('shows the tokens of each user, and groups by any path', async () => {
      await session.page.getByLabel('Groups by').selectOption('user');
      const users = region('All calls by user').getByRole('row');
      await users.nth(1).waitFor();
      expect((await users.nth(1).getByRole('cell').allInnerTexts()).at(6)).toBe('3,000');
      await session.page.getByLabel('or by a path').fill('attributes.team');
      await session.page.getByRole('button', { name: 'Group', exact: true }).click();
      await rowIn('All calls by attributes.team', /blue/).getByText('3,000').waitFor();
      expect(session.page.url()).toContain('by=attributes.team');
    });

    it('opens exactly the calls of every group', async () => {
      const others = aProject();
      const call = (op_name: string, size: unknown, model: string) => ({
        ...{ project_id: others, id: randomUUID(), trace_id: randomUUID(), op_name },
        ...{ started_at: new Date(noon).toISOString(), ended_at: new Date(noon).toISOString() },
        ...{ attributes: { size }, inputs: {}, output: null },
        summary: { usage: { [model]: { requests: 1, prompt_tokens: 1 } } },
      });
      const batch = [
        call('find', 5, 'gpt-4.1'),
        call(`weave:///${others}/op/find:abc`, '5', 'gpt-4.1'),
        call('find_all', true, 'gpt-4'),
        call('finder', 'five', 'gpt-4'),
        call('finder', undefined, 'gpt-4'),
        { ...call('finder', 7, ''), summary: {} },
      ];
      await server.post(`/v2/${others}/calls/complete`, { batch });
      const groups = [
        ['model', 'gpt-4', 3],
        ['model', 'none', 1],
        ['op', 'find', 1],
        ['attributes.size', '5', 2],
        ['attributes.size', 'none', 1],
      ] as const;
      for (const [by, name, count] of groups) {
        await session.goto(`/${others}/weave/stats?last=yesterday&by=${by}`);
        const found = region(`All calls by ${by}`).getByRole('link', { name, exact: true });
        await found.first().click();
        await session.page.getByText(`${count} of ${count} calls`).waitFor();
      }
      await session.goto(`/${team}/weave/stats?last=yesterday`);
    });

    it('shows thumbs down and why', async () => {
      const row = rowIn('Thumbs down', /reply-3/);
      await row.getByText('It names the wrong city.').waitFor();
      await row.getByRole('link').click();
      await session.page.getByRole('tree').waitFor();
    });

    it('shows the cost of each model and day', async () => {
      await link('Costs').click();
      await session.page.getByRole('button', { name: /Cost of gpt-4o/ }).waitFor();
      await session.page.getByRole('img', { name: /Costs over time/ }).waitFor();
    });

    it('is used by keyboard alone: every screen is found, and every control of it reached', async () => {
      const goTo = async (name: string) => {
        const box = session.page.getByRole('combobox', { name: 'Project or action' });
        // A screen that is just being shown may miss a key.
        await eventually(
          async () =>
            (await box.isVisible()) || void (await session.page.keyboard.press('Control+k')),
          10_000,
        );
        await session.page.keyboard.insertText(name);
        await session.page.keyboard.press('Enter');
      };
      const screens = [
        ['Costs', /^Costs/],
        ['Prices', /^Prices/],
        ['Statistics', /^Statistics/],
        ['Alerts', /^Alerts/],
        ['Threads', /^Threads/],
        ['Objects', /^Objects/],
        ['Evaluations', /^Evaluations/],
        ['Annotation queues', /^Annotation queues/],
        ['Compare two traces', /^Comparison/],
        ['Operations', /^Operations/],
      ] as const;
      await session.goto(`/${project}/weave/traces`);
      for (const [name, heading] of screens) {
        await goTo(name);
        await session.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
        await eventually(
          async () => (await session.page.getByText('Loading…').count()) === 0,
          10_000,
        );
        expect([name, await session.unreachedByTab()]).toEqual([name, []]);
      }
    });

    it('shows every page in the dark and on a narrow screen', async () => {
      const dark = await PageSession.open(browser, server.url, { width: 320, colorScheme: 'dark' });
      await stayInDay(dark);
      await dark.goto(`/${team}/weave/stats?last=yesterday`);
      await dark.signIn(server.key);
      const pages = [
        [`/${team}/weave/stats?last=yesterday`, 'Thumbs down'],
        [`/${project}/weave/evaluations/compare?ids=${runs.join(',')}`, 'Examples by correct'],
        [`/${project}/weave/objects/pair/versions/v1`, 'pair v1'],
        [`/${project}/weave/threads/trip`, 'Thread trip'],
        [`/${project}/weave/evaluations`, 'Evaluations'],
        [`/${project}/weave/objects`, 'Objects'],
        [`/${project}/weave/threads`, 'Threads'],
        [`/${project}/weave/annotations`, 'Annotation queues'],
      ] as const;
      for (const [address, heading] of pages) {
        await dark.goto(address);
        await dark.page.getByRole('heading', { name: heading }).waitFor();
        const width = await dark.page.evaluate(() => document.documentElement.scrollWidth);
        expect([address, width]).toEqual([address, 320]);
        expect(await dark.violations()).toEqual([]);
      }
      expect(dark.errors).toEqual([]);
      await dark.close();
    });
  });
});
