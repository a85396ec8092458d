import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { aProject, sharedServer } from '../support/test-server.js';
import { startItem } from '../support/records.js';
import { openBrowser, PageSession } from './page-session.js';

const server = sharedServer();

describe('the page of alerts', () => {
  const project = aProject();
  const received: string[] = [];
  let isSilent = false;
  const receiver = createServer((request, response) => {
    if (isSilent) return;
    let body = '';
    request.on('data', (data: Buffer) => (body += data.toString()));
    request.on('end', () => {
      received.push((JSON.parse(body) as { type: string }).type);
      response.writeHead(204).end();
    });
  });
  let browser: Browser;
  let session: PageSession;

  beforeAll(async () => {
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    await server.post('/call/upsert_batch', { batch: [startItem({ project_id: project })] });
    browser = await openBrowser();
    session = await PageSession.open(browser, server.url);
    await session.goto(`/${project}/weave/alerts`);
    await session.signIn(server.key);
  });
  afterEach(() => {
    expect(session.errors.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    receiver.closeAllConnections();
    await new Promise((done) => receiver.close(done));
  });

  const button = (name: string) => session.page.getByRole('button', { name, exact: true });
  const row = (name: string) =>
    session.page.getByRole('region', { name: 'Alerts' }).getByRole('row', { name });

  it('creates a rule by keyboard, shows its secret once, and shows when it fires', async () => {
    const { port } = receiver.address() as AddressInfo;
    await session.page.getByText('This project has no alerts.').waitFor();
    await session.page.getByText('Create an alert').focus();
    await session.page.keyboard.press('Enter');
    await session.page.getByLabel('Name').fill('Silence');
    await session.page.getByLabel('Watch').selectOption('no_data');
    await session.page.getByLabel(/^Only of op/).fill('never-called');
    await session.page.getByLabel(/^Webhook/).fill(`http://127.0.0.1:${port}/hook?token=hidden`);
    expect(await session.violations()).toEqual([]);
    await session.page.keyboard.press('Enter');

    await session.page.getByText(/It is shown once: whsec_/).waitFor();
    // For a later test: the same run of the job evaluates both.
    await server.post('/alerts/create', {
      ...{ project_id: project, name: 'Errors', kind: 'error_rate', threshold: 1 },
      op: 'never-called',
    });
    await button('Done').click();
    await row('Silence').getByText('firing').waitFor();
    expect(await session.page.content()).not.toContain('hidden');
    expect(await session.page.content()).not.toContain('whsec_');
    expect(await session.violations()).toEqual([]);
  });

  it('shows the history with its deliveries, at an address of its own', async () => {
    await row('Silence').getByRole('link').click();
    const history = session.page.getByRole('region', { name: 'History' });
    await history.getByText('delivered, 1 attempt').waitFor();
    expect(received).toEqual(['alert.firing']);
    expect(session.page.url()).toContain('?alert=');
    isSilent = true;
    await button('Test the webhook').click();

    const { pathname, search } = new URL(session.page.url());
    const reader = await server.post('/admin/keys/create', {
      ...{ user: 'reader', scope: project, role: 'read' },
    });
    const small = await PageSession.open(browser, server.url, { width: 320, colorScheme: 'dark' });
    await small.goto(pathname + search);
    await small.signIn(reader.key);
    await small.page.getByText('delivered, 1 attempt').waitFor();
    expect(await small.page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    const width = await small.page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(320);
    expect(await small.violations()).toEqual([]);
    expect(small.errors).toEqual([]);
    await small.close();
    await session.page.getByText('The receiver did not respond within 10 s.').waitFor();
    isSilent = false;
  });

  it('says so when a rate would divide by zero calls', async () => {
    await row('Errors').getByText('no data').waitFor();
    await row('Errors').getByRole('link').click();
    const history = session.page.getByRole('region', { name: 'History' });
    await history.getByText('No call started in the window.').waitFor();
    await row('Silence').getByRole('link').click();
  });

  it('tests the webhook, changes the rule and deletes it', async () => {
    await button('Test the webhook').click();
    await session.page.getByText(/The receiver responded with 204/).waitFor();
    expect(received).toContain('alert.test');
    await session.page.getByText('Change the rule').click();
    const form = session.page.getByRole('region', { name: 'Alert Silence' });
    await form.getByLabel('In the last minutes').fill('30');
    expect(await session.violations()).toEqual([]);
    await button('Save').click();
    await row('Silence').getByText('in 30 minutes').waitFor();
    await button('Delete').click();
    await button('Delete the alert').click();

    await row('Silence').waitFor({ state: 'detached' });
    const audited = await server.post('/admin/audit/query', {
      ...{ scope: project, action: 'alerts.' },
    });
    expect(JSON.stringify(audited)).not.toContain('hidden');
  });
});
