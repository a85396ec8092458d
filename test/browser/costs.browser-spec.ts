import type { Browser } from 'playwright-core';
import { eventually } from '../support/processes.js';
import { aProject, sharedServer } from '../support/test-server.js';
import { endItem, startItem } from '../support/records.js';
import { openBrowser, PageSession } from './page-session.js';

const server = sharedServer();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A call of `model` that began some time ago, with a million input and a hundred thousand output tokens. */
function aCall(project_id: string, model: string, msAgo: number) {
  const id = `${model}-${msAgo}`;
  const started_at = new Date(Date.now() - msAgo).toISOString();
  const usage = {
    [model]: { requests: 1, prompt_tokens: 1_000_000, completion_tokens: 100_000 },
  };
  return [
    startItem({ project_id, id, started_at, op_name: 'summarise' }),
    endItem({ project_id, id, ended_at: started_at, summary: { usage } }),
  ];
}

describe('the pages of costs and statistics', () => {
  const project = aProject();
  let browser: Browser;
  let session: PageSession;

  beforeAll(async () => {
    const price = { prompt_token_cost: 2e-6, completion_token_cost: 1e-5 };
    const since = new Date(Date.now() - 100 * DAY_MS).toISOString();
    await server.post('/cost/create', {
      project_id: project,
      costs: { priced: { ...price, effective_date: since } },
    });
    const batch = [
      aCall(project, 'priced', HOUR_MS),
      aCall(project, 'priced', 2 * DAY_MS),
      aCall(project, 'priced', 8 * DAY_MS),
      aCall(project, 'unknown', HOUR_MS),
    ].flat();
    await server.post('/call/upsert_batch', { batch });
    browser = await openBrowser();
    session = await PageSession.open(browser, server.url);
    await session.goto(`/${project}/weave/costs`);
    await session.signIn(server.key);
  });
  afterEach(() => {
    expect(session.errors.splice(0)).toEqual([]);
  });
  afterAll(() => browser.close());

  const report = async (start: number) => {
    const body = { project_id: project, start: new Date(start).toISOString() };
    return (await server.post('/costs/report', body)).results;
  };

  it('shows the same sum as the report, and the change against the period before', async () => {
    await session.page.getByText('$6.00', { exact: true }).first().waitFor();
    await session.page.getByText('+100 % against the period before').waitFor();
    const shown = await session.page.locator('strong[title]').first().getAttribute('title');

    const rows = await report(Date.now() - 7 * DAY_MS);
    expect(Number(shown)).toBe(rows.find((row: any) => row.model === 'priced').total_cost);
    expect(shown).toBe('6');
    await session.page.getByRole('img', { name: /Costs over time/ }).waitFor();
    expect(await session.violations()).toEqual([]);
  });

  it('opens the sum of a cost, with whose price it is and since when', async () => {
    await session.page.getByRole('button', { name: /Cost of priced/ }).click();
    const sum = session.page.getByRole('region', { name: 'Sum of priced' });
    await sum.getByText(/Price of the project, set by ann, in force since/).waitFor();

    const input = sum.getByRole('row', { name: /Input/ });
    expect(await input.getByRole('cell').allInnerTexts()).toEqual(['2,000,000', '$2', '$4']);
    const all = sum.getByRole('row', { name: /Sum/ });
    expect((await all.getByRole('cell').allInnerTexts()).at(-1)).toBe('$6');
    expect(session.page.url()).toContain('sum=priced');
    expect(await session.violations()).toEqual([]);
  });

  it('names usage without a price, and counts it once it has one', async () => {
    const notice = session.page.getByRole('region', { name: 'Usage without a price' });
    await notice.getByText('1,100,000 tokens of unknown').waitFor();
    await notice.getByText('Set the price of unknown').click();
    await notice.getByLabel(/^Input/).fill('1');
    await notice.getByLabel(/^Output/).fill('10');
    expect(await session.violations()).toEqual([]);
    await notice.getByRole('button', { name: 'What would change?' }).click();
    const total = notice.getByRole('row', { name: /Total/ });
    await total.waitFor();
    expect(await total.getByRole('cell').allInnerTexts()).toEqual(['', '$0', '$2', '+$2']);
    await notice.getByRole('button', { name: 'Save the price' }).click();

    await session.page.getByText('$8.00', { exact: true }).first().waitFor();
    await notice.waitFor({ state: 'detached' });
  });

  it('groups by anything, keeps it in the address, and saves it as CSV', async () => {
    await session.page.getByLabel(/^By/).selectOption('op');
    await session.page.getByRole('button', { name: /Cost of summarise/ }).waitFor();
    expect(session.page.url()).toContain('by=op');
    const [file] = await Promise.all([
      session.page.waitForEvent('download'),
      session.page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('costs-by-op.csv');
    const [parquet] = await Promise.all([
      session.page.waitForEvent('download'),
      session.page.getByRole('button', { name: 'Parquet' }).click(),
    ]);
    expect(parquet.suggestedFilename()).toBe('costs-by-op.parquet');

    const small = await PageSession.open(browser, server.url, { width: 320, colorScheme: 'dark' });
    await small.goto(`/${project}/weave/costs?by=user&last=24h`);
    await small.signIn(server.key);
    await small.page.getByRole('button', { name: /Cost of ann/ }).waitFor();
    const width = await small.page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(320);
    expect(await small.violations()).toEqual([]);
    expect(small.errors).toEqual([]);
    await small.close();
  });

  it('agrees to the last digit with reports, files, statistics and calls', async () => {
    const exact = aProject();
    const now = Date.now();
    const costs = {
      a: { prompt_token_cost: 0.1, completion_token_cost: 1e-18 },
      b: { prompt_token_cost: 0.7, completion_token_cost: 3e-18 },
    };
    const since = (days: number) => new Date(now - days * DAY_MS).toISOString();
    const dated = (days: number, factor: number) =>
      Object.fromEntries(
        Object.entries(costs).map(([model, price]) => [
          model,
          {
            prompt_token_cost: price.prompt_token_cost * factor,
            completion_token_cost: price.completion_token_cost,
            effective_date: since(days),
          },
        ]),
      );
    await server.post('/cost/create', { project_id: exact, costs: dated(100, 1) });
    await server.post('/cost/create', { project_id: exact, costs: dated(1, 0.5) });
    const usage = {
      a: { requests: 1, prompt_tokens: 3, completion_tokens: 7 },
      b: { requests: 1, prompt_tokens: 1, completion_tokens: 9 },
    };
    const batch = [HOUR_MS, 2 * DAY_MS].flatMap((msAgo) => {
      const [id, at] = [`exact-${msAgo}`, new Date(now - msAgo).toISOString()];
      const mine = { project_id: exact, id };
      return [
        startItem({ ...mine, started_at: at, op_name: 'f' }),
        endItem({ ...mine, ended_at: at, summary: { usage } }),
      ];
    });
    await server.post('/call/upsert_batch', { batch });
    // 3 × 0.1 + 7e-18 + 0.7 + 9 × 3e-18, and the same with half of the price of input.
    const expected = '1.500000000000000068';

    const texts = async (path: string, body: object) =>
      (await server.send(path, { project_id: exact, ...body })).text;
    const report = await texts('/costs/report', { group_by: [] });
    expect(/"total_cost":([\d.]+)/.exec(report)?.[1]).toBe(expected);
    expect(await texts('/costs/report', { group_by: [], format: 'csv' })).toContain(expected);
    const stats = await texts('/calls/stats', {
      ...{ start: since(7), granularity: 30 * 86_400, usage_metrics: [{ metric: 'total_cost' }] },
    });
    const units = (text: string) => {
      const [whole = '0', fraction = ''] = text.split('.');
      return BigInt(whole + fraction.padEnd(18, '0'));
    };
    const total = (text: string, member: RegExp) =>
      [...text.matchAll(member)].reduce((sum, [, cost]) => sum + units(cost!), 0n);
    expect(total(stats, /"sum_total_cost":([\d.]+)/g)).toBe(units(expected));
    // What the SDK reads for a call with its costs.
    const calls = await texts('/calls/stream_query', { include_costs: true });
    expect(total(calls, /"\w+_tokens_total_cost":([\d.]+)/g)).toBe(units(expected));

    await session.goto(`/${exact}/weave/costs`);
    await session.page.locator(`strong[title="${expected}"]`).click();
    const sum = session.page.getByRole('region', { name: 'Sum of all models' });
    await sum.getByRole('heading', { name: 'a: $0.450000000000000014' }).waitFor();
    await sum.getByRole('heading', { name: 'b: $1.050000000000000054' }).waitFor();
    await sum.getByRole('cell', { name: '$0.300000000000000007', exact: true }).waitFor();
    await sum.getByRole('cell', { name: '$0.150000000000000007', exact: true }).waitFor();
    expect(session.page.url()).toContain('all=1');
    expect(await session.violations()).toEqual([]);
    await session.goto(`/${project}/weave/costs`);
  });

  it('shows latency and errors by group and over time, and opens the calls of a time', async () => {
    await session.page.getByRole('link', { name: 'Statistics' }).click();
    const groups = session.page.getByRole('region', { name: 'All calls by op' });
    const row = groups.getByRole('row', { name: /summarise/ });
    await row.waitFor();
    expect((await row.getByRole('cell').allInnerTexts()).slice(0, 2)).toEqual(['2', '0.0 %']);
    expect(await session.violations()).toEqual([]);

    const times = session.page.getByRole('region', { name: 'Traces over time' });
    await times
      .getByRole('row', { name: /2,200,000/ })
      .getByRole('link')
      .click();
    await session.page.getByText('2 of 2 traces').waitFor();
  });

  it('says so when no call has usage', async () => {
    const empty = aProject();
    await server.post('/call/upsert_batch', { batch: [startItem({ project_id: empty })] });
    await eventually(
      async () => (await server.post('/calls/query_stats', { project_id: empty })).count === 1,
      20_000,
    );
    await session.goto(`/${empty}/weave/costs`);
    await session.page.getByText('No call of this period has usage.').waitFor();
    expect(await session.violations()).toEqual([]);
  });
});
