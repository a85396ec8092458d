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
    await session.page.getByRole('img', { name: /Costs over time/ }).waitFor();
    expect(await session.violations()).toEqual([]);
  });

  it('opens the sum of a cost, with whose price it is and since when', async () => {
    await session.page.getByRole('button', { name: /Cost of priced/ }).click();
    const sum = session.page.getByRole('region', { name: 'Sum of priced' });
    await sum.getByText(/Price of the project, in force since/).waitFor();

    const input = sum.getByRole('row', { name: /Input/ });
    expect(await input.getByRole('cell').allInnerTexts()).toEqual(['2,000,000', '$2.00', '$4.00']);
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
