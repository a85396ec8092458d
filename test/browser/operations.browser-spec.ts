import { statSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { eventually } from '../support/processes.js';
import { aProject, sharedServer } from '../support/test-server.js';
import { startItem } from '../support/records.js';
import { openBrowser, PageSession } from './page-session.js';

const server = sharedServer();

/** One server and one browser for all of them, because both take seconds to start. */
describe('the operations page', () => {
  const project = aProject();
  let browser: Browser;
  let session: PageSession;

  beforeAll(async () => {
    const batch = ['bad-1', 'bad-2', 'bad-3'].map((id) =>
      startItem({ project_id: project, id, started_at: 'yesterday', inputs: { n: 1 } }),
    );
    [browser] = await Promise.all([openBrowser(), server.post('/call/upsert_batch', { batch })]);
    const { key } = await server.post('/admin/keys/create', {
      user: 'operator',
      scope: project,
      role: 'admin',
      name: 'the operator',
    });
    session = await PageSession.open(browser, server.url);
    await session.goto('/');
    await session.signIn(key);
  });
  afterEach(() => {
    expect(session.errors.splice(0)).toEqual([]);
  });
  afterAll(() => browser.close());

  const button = (name: string | RegExp) => session.page.getByRole('button', { name });
  const link = (name: string) => session.page.getByRole('link', { name, exact: true });
  const listed = () => session.page.getByRole('region', { name: 'Dead letters' });

  it('is found from the menu of an admin', async () => {
    await button(/^operator/).click();
    await link('Operations').click();

    await session.page.getByRole('heading', { name: 'Operations' }).waitFor();
    expect(session.page.url()).toContain('/-/operations');
  });

  it('lets an operator find, mend and replay a dead letter without a shell', async () => {
    await link('Dead letters').click();
    await button(/started_at: must be/).click();
    await listed().getByRole('button').first().click();
    const item = session.page.getByLabel('Item');
    expect(await item.inputValue()).toContain('"started_at": "yesterday"');
    expect(await session.violations()).toEqual([]);

    await button('Check').click();
    await session.page.getByText(/It would not be stored: .*started_at/).waitFor();
    const mended = (await item.inputValue()).replace('yesterday', '2026-03-01T10:00:00Z');
    await item.fill(mended);
    await item.press('Control+Enter');
    await session.page.getByText('It would be stored now.').waitFor();
    await button('Replay corrected').click();
    await session.page.getByText('Replayed.').waitFor();

    const stored = await eventually(async () => {
      const { count } = await server.post('/calls/query_stats', { project_id: project });
      return count === 1;
    }, 20_000);
    expect(stored).toBe(true);
    expect(await session.violations()).toEqual([]);
  });

  it('keeps the selected dead letter in the address', async () => {
    const shared = await PageSession.open(browser, server.url, { width: 320, colorScheme: 'dark' });
    const { pathname, search } = new URL(session.page.url());
    await shared.goto(pathname + search);
    await shared.signIn(server.key);

    await shared.page.getByRole('region', { name: 'Dead letter', exact: true }).waitFor();
    await shared.page.getByText('"started_at": "yesterday"').waitFor();
    const width = await shared.page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(320);
    expect(await shared.violations()).toEqual([]);
    expect(shared.errors).toEqual([]);
    await shared.close();
  });

  it('replays and drops all dead letters of a reason', async () => {
    await session.goto('/-/operations?tab=dead-letters');
    await button(/started_at: must be/).click();
    await button('Replay all of this reason').click();
    await session.page.getByText(/Replayed 0\. 2 stay open: .*started_at/).waitFor();
    await button('Drop all of this reason').click();
    expect(await session.violations()).toEqual([]);
    await session.page.getByRole('dialog').getByRole('button', { name: 'Drop all' }).click();

    await session.page.getByText('There are no open dead letters.').waitFor();
  });

  it('creates, rotates and revokes a key, and shows each in the audit log', async () => {
    await link('Keys').click();
    await session.page.getByText('Create a key').click();
    await session.page.getByLabel('User').fill('bob');
    await session.page.getByLabel(/^Name/).fill('the reader');
    await session.page.getByLabel('Role').selectOption('read');
    await button('Create').click();
    await session.page.getByText('The new key of bob').waitFor();
    await button('Done').click();
    expect(await session.violations()).toEqual([]);
    await button('Rotate the reader').first().click();
    await session.page.getByText('The new key of bob').waitFor();
    await button('Revoke the reader').first().click();
    await button('Revoke the key').click();
    await session.page.getByRole('dialog').waitFor({ state: 'detached' });

    await link('Audit log').click();
    await session.page.getByLabel('Action begins with').fill('keys.revoke');
    await button('Filter').click();
    await session.page.getByRole('rowheader', { name: 'keys.revoke' }).waitFor();
    await session.goto('/-/operations?tab=audit&action=dead-letters.');
    for (const action of ['dead-letters.replay', 'dead-letters.drop'])
      await session.page.getByRole('rowheader', { name: action }).first().waitFor();
    expect(await session.violations()).toEqual([]);
  });

  it('finds, mends, checks and replays a dead letter of 30 MB, and holds only a part of it', async () => {
    const start = { project_id: project, id: 'big', inputs: { text: 'x'.repeat(30_000_000) } };
    const { started_at: _, ...rest } = startItem(start).req.start;
    const big = { mode: 'start', req: { start: { ...rest, started_at: 'yesterday' } } };
    await server.post('/call/upsert_batch', { batch: [big] });
    const { id, bytes } = await eventually(async () => {
      const { dead_letters } = await server.post('/admin/dead-letters/query', { scope: project });
      return dead_letters.find((one: any) => one.call_id === 'big');
    }, 60_000);
    expect(bytes).toBeGreaterThan(30_000_000);
    await session.goto('/-/operations?tab=dead-letters');
    await listed()
      .getByRole('button', { name: id.slice(0, 12) })
      .click();
    const item = session.page.getByLabel(/^Item, .* of 30 MB/);
    expect(await item.inputValue()).toHaveLength(200_000);
    await button('Check').click();
    await session.page.getByText(/It would not be stored: .*started_at/).waitFor();
    const [file] = await Promise.all([
      session.page.waitForEvent('download'),
      button('Download').click(),
    ]);
    expect(statSync(await file.path()).size).toBe(bytes);

    const longTasks = await session.longTasks();
    // The field to find begins with the member that the reason names.
    await button('Find').click();
    await session.page.getByText('Part 151 of 151').waitFor();
    await session.page.getByLabel('Find in the item').fill('yesterday');
    await button('Find').click();
    const selected = () =>
      item.evaluate((area: HTMLTextAreaElement) =>
        area.value.slice(area.selectionStart, area.selectionEnd),
      );
    let shown = '';
    await eventually(
      async () => {
        shown = await session.page.getByRole('main').innerText();
        return (await selected()) === 'yesterday';
      },
      20_000,
      () => `Nothing is selected on this page:\n${shown.slice(0, 2000)}\n`,
    );
    await session.page.keyboard.insertText('2026-03-01T10:00:00Z');
    await button('Previous part').click();
    await session.page.getByText('Part 150 of 151').waitFor();
    await session.page.getByText('Changed places: 1').waitFor();
    await button('Check').click();
    await session.page.getByText('It would be stored now.').waitFor();
    expect((await longTasks()).filter(({ ms }) => ms > 200)).toEqual([]);
    expect(await session.violations()).toEqual([]);
    // The page never holds the rest, so that it stays responsive.
    expect(await session.heapBytes()).toBeLessThan(30_000_000);
    await button('Replay corrected').click();
    await session.page.getByText('Replayed.').waitFor();
    const stored = { project_id: project, filter: { call_ids: ['big'] } };
    await eventually(async () => {
      const { count } = await server.post('/calls/query_stats', stored);
      return count === 1;
    }, 60_000);
  });

  it('shows the state of the server and the ledger to an admin of everything', async () => {
    const root = await PageSession.open(browser, server.url, { colorScheme: 'dark' });
    await root.goto('/-/operations');
    await root.signIn(server.key);
    await root.page.getByRole('heading', { name: 'Workers: 1' }).waitFor();
    await root.page.getByRole('rowheader', { name: 'calls, fast' }).waitFor();
    await root.page.getByRole('rowheader', { name: 'Memory of Redis' }).waitFor();
    await root.page.getByText('received = settled + pending: holds').waitFor();
    expect(await root.violations()).toEqual([]);

    await root.page.getByRole('link', { name: 'Retention and jobs' }).click();
    await root.page.getByRole('rowheader', { name: 'check-ledger' }).waitFor();
    await root.page.getByText(/No project has a retention|would delete/).waitFor();
    expect(await root.violations()).toEqual([]);
    await root.page.getByRole('link', { name: 'Audit log' }).click();
    await root.page.getByRole('button', { name: 'Verify' }).click();
    await root.page.getByText(/entries are unchanged/).waitFor();
    expect(root.errors).toEqual([]);
    await root.close();
  });

  it('names the project that breaks an equation of the ledger, and the job that failed', async () => {
    const root = await PageSession.open(browser, server.url);
    // A healthy server has neither, so the responses are changed on their way to the page.
    await root.page.route('**/admin/ledger', async (route) => {
      const response = await route.fetch();
      const ledger = (await response.json()) as { equations: { equation: string }[] };
      const counts = { received: 12, settled: 9, pending: 2, unbalanced_facts: 1 };
      const others = { missing_facts: 0, stale_calls: 0, calls_with_other_usage: 0 };
      const equations = ledger.equations.map((one) => ({ ...one, holds: false }));
      const broken = [{ project_id: project, ...counts, ...others }];
      await route.fulfill({ response, json: { ...ledger, equations, broken } });
    });
    await root.page.route('**/admin/health', async (route) => {
      const response = await route.fetch();
      const health = (await response.json()) as { server: { maintenance: object[] } };
      const [job, ...rest] = health.server.maintenance;
      const maintenance = [{ ...job, last_error: 'ClickHouse is not available' }, ...rest];
      await route.fulfill({ response, json: { server: { ...health.server, maintenance } } });
    });
    await root.goto('/-/operations');
    await root.signIn(server.key);

    await root.page.getByText('received = settled + pending: broken').waitFor();
    const row = root.page.getByRole('row').filter({ has: root.page.getByText(project) });
    expect(await row.getByRole('cell').allTextContents()).toEqual('12 9 2 1 0 0 0'.split(' '));
    expect(await root.violations()).toEqual([]);
    await root.page.getByRole('link', { name: 'Retention and jobs' }).click();
    await root.page.getByRole('cell', { name: 'ClickHouse is not available' }).waitFor();
    expect(await root.violations()).toEqual([]);
    expect(root.errors).toEqual([]);
    await root.close();
  });

  it('shows nothing of it to a key that may not administer', async () => {
    const { key } = await server.post('/admin/keys/create', {
      user: 'writer',
      scope: project,
      role: 'write',
    });
    const writer = await PageSession.open(browser, server.url);
    await writer.goto('/-/operations');
    await writer.signIn(key);

    await writer.page.getByText('This key may not administer.').waitFor();
    expect(writer.requests.some((url) => url.includes('/admin/'))).toBe(false);
    expect(writer.errors).toEqual([]);
    await writer.close();
  });

  it('erases a trace once that is confirmed, and shows the report', async () => {
    const call = startItem({ project_id: project, id: 'personal', trace_id: 'personal-trace' });
    await server.post('/call/upsert_batch', { batch: [call] });
    await session.goto('/-/operations?tab=erasure');
    await session.page.getByLabel('What').selectOption('trace');
    await session.page.getByRole('textbox', { name: 'Project' }).fill(project);
    await session.page.getByLabel('Trace id').fill('personal-trace');
    await button('Preview').click();
    const dialog = session.page.getByRole('dialog', { name: 'Erase permanently' });
    await dialog.getByText('1 calls of personal-trace would be erased').waitFor();
    expect(await dialog.getByRole('button', { name: 'Erase' }).isDisabled()).toBe(true);
    expect(await session.violations()).toEqual([]);
    await dialog.getByLabel('Type personal-trace to confirm').fill('personal-trace');
    await dialog.getByRole('button', { name: 'Erase' }).click();

    const report = session.page.getByRole('row', { name: /personal-trace/ });
    await report.getByText(/1 calls, \d+ rows/).waitFor();
    expect(await session.violations()).toEqual([]);
    const left = { project_id: project, filter: { trace_ids: ['personal-trace'] } };
    expect(await server.post('/calls/query_stats', left)).toMatchObject({ count: 0 });
    const audit = { scope: project, action: 'erase' };
    await eventually(async () => {
      const { entries } = await server.post('/admin/audit/query', audit);
      return entries.some((entry: any) => entry.action === 'erase' && entry.user === 'operator');
    }, 20_000);
  });
});
