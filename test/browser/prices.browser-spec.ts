import type { Browser } from 'playwright-core';
import { aProject, sharedServer } from '../support/test-server.js';
import { endItem, startItem } from '../support/records.js';
import { openBrowser, PageSession } from './page-session.js';

const server = sharedServer();

describe('the page of prices', () => {
  const project = aProject();
  let browser: Browser;
  let session: PageSession;

  beforeAll(async () => {
    const started_at = new Date(Date.now() - 3_600_000).toISOString();
    const usage = { 'my-model': { requests: 1, prompt_tokens: 3_000_000, completion_tokens: 0 } };
    await server.post('/call/upsert_batch', {
      batch: [
        startItem({ project_id: project, id: 'c', started_at }),
        endItem({ project_id: project, id: 'c', ended_at: started_at, summary: { usage } }),
      ],
    });
    browser = await openBrowser();
    session = await PageSession.open(browser, server.url);
    await session.goto(`/${project}/weave/prices?find=gpt-4o-mini`);
    await session.signIn(server.key);
  });
  afterEach(() => {
    expect(session.errors.splice(0)).toEqual([]);
  });
  afterAll(() => browser.close());

  const button = (name: string) => session.page.getByRole('button', { name, exact: true });
  const change = () => session.page.getByRole('region', { name: 'What would change' });

  it('searches the default prices, and shows the history of a model', async () => {
    const prices = session.page.getByRole('region', { name: 'Prices', exact: true });
    await prices.getByRole('link', { name: 'gpt-4o-mini', exact: true }).click();
    const history = session.page.getByRole('region', { name: 'History' });
    await history.getByRole('cell', { name: 'in force' }).waitFor();
    await history.getByText(/default/).waitFor();
    expect(session.page.url()).toContain('model=gpt-4o-mini');
    expect(await session.violations()).toEqual([]);
  });

  it('shows what a price would change before it is saved, to the last digit', async () => {
    await session.page.getByText('Set a price of this project', { exact: true }).click();
    await session.page.getByLabel('Model', { exact: true }).fill('my-model');
    await session.page
      .getByLabel(/^Input/)
      .first()
      .fill('0.1');
    await session.page
      .getByLabel(/^Output/)
      .first()
      .fill('0');
    await session.page.getByLabel('In force since').first().fill('2026-01-01');
    await session.page.keyboard.press('Enter');

    const total = change().getByRole('row', { name: /Total/ });
    await total.waitFor();
    expect(await total.getByRole('cell').allInnerTexts()).toEqual(['', '$0', '$0.3', '+$0.3']);
    expect((await server.post('/cost/query', { project_id: project })).results).toEqual([]);
    expect(await session.violations()).toEqual([]);
    await button('Save the price').click();
    await session.page.getByRole('heading', { name: 'my-model' }).waitFor();
    const [row] = (await server.post('/costs/report', { project_id: project })).results;
    expect(row.total_cost).toBe(0.3);
    await session.page.getByText('The stored costs of calls are refreshed').waitFor();
  });

  it('shows what a removal would change, removes the price, and has both in the audit log', async () => {
    const small = await PageSession.open(browser, server.url, { width: 320, colorScheme: 'dark' });
    await small.goto(`/${project}/weave/prices?model=my-model`);
    await small.signIn(server.key);
    await small.page.getByRole('button', { name: /^Remove the price since/ }).click();
    await small.page.getByText('3,000,000 tokens of my-model would have no price.').waitFor();
    const width = await small.page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(320);
    expect(await small.violations()).toEqual([]);
    await small.page.getByRole('button', { name: 'Remove the price', exact: true }).click();
    await small.page.getByText('No price is known for this model.').waitFor();
    expect(small.errors).toEqual([]);

    await small.goto('/-/operations?tab=audit&action=prices.');
    for (const action of ['prices.set', 'prices.purge'])
      await small.page.getByRole('rowheader', { name: action }).first().waitFor();
    await small.close();
  });
});
