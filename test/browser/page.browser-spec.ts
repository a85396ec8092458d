import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { root } from '../support/processes.js';
import { aProject, sharedServer } from '../support/test-server.js';
import { openBrowser, PageSession } from './page-session.js';
import { seedLargeTrace, seedTraces } from './traces.js';

const server = sharedServer();
const LARGE_TRACE = 10_000;

/** One server and one browser for all of them, because both take seconds to start. */
describe('the page', () => {
  const project = aProject();
  let browser: Browser;
  let session: PageSession;

  beforeAll(async () => {
    [browser] = await Promise.all([openBrowser(), seedTraces(server, project)]);
    session = await PageSession.open(browser, server.url);
  });
  afterEach(() => {
    expect(session.errors.splice(0)).toEqual([]);
  });
  afterAll(() => browser.close());

  const link = (name: string | RegExp) => session.page.getByRole('link', { name });
  const button = (name: string | RegExp) => session.page.getByRole('button', { name });

  it('shows the login without a session, and says when a key is wrong', async () => {
    await session.goto(`/${project}/weave/traces`);
    await session.page.getByLabel('API key').fill('wrong');
    await button('Sign in').click();

    await session.page.getByText('The server does not know this key').waitFor();
    expect(await session.violations()).toEqual([]);
  });

  it('logs in by an issuer and comes back to the same address', async () => {
    const visitor = await PageSession.open(browser, server.url);
    const { page } = visitor;
    // The issuer's own page wants a font from elsewhere.
    await page.route(/^https:/, (route) => route.abort());
    await visitor.goto(`/${project}/weave/traces?limit=50`);
    await page.getByRole('link', { name: 'Sign in with Test Issuer' }).click();
    await page.locator('input[name=login]').fill('ann.ml@example.com');
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.locator('button[type=submit]').click();

    await page.getByRole('link', { name: 'agent.run' }).first().waitFor();
    expect(page.url()).toContain(`${server.url}/${project}/weave/traces`);
    expect(visitor.errors.filter((error) => error.includes(server.url))).toEqual([]);
    await visitor.close();
  });

  it('keeps the address over the login, and gives the key to no script', async () => {
    await session.signIn(server.key);
    await link('agent.run').first().waitFor();

    expect(session.page.url()).toBe(`${server.url}/${project}/weave/traces`);
    const seen = await session.page.evaluate(() =>
      JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }]),
    );
    expect(seen).toBe('["",{},{}]');
  });

  it('lists the projects with their last 24 hours', async () => {
    await session.goto('/');
    const row = session.page.getByRole('row', { name: new RegExp(project) });
    await row.waitFor();

    expect(await row.getByRole('cell').allInnerTexts()).toEqual([
      expect.stringMatching(/now|min/),
      '180',
      '1',
      expect.stringMatching(/^\$/),
    ]);
    expect(await session.violations()).toEqual([]);
  });

  it('lists the newest traces first, and needs few requests and elements for it', async () => {
    session.requests.length = 0;
    await session.goto(`/${project}/weave/traces`);
    await link('agent.run').first().waitFor();
    await session.page.getByText('60 of 60 traces').waitFor();

    expect(session.requests.filter((url) => !url.includes('/assets/')).length).toBeLessThan(12);
    expect(session.requests.every((url) => url.startsWith(server.url))).toBe(true);
    expect(await session.elements()).toBeLessThan(1500);
    expect(await session.violations()).toEqual([]);
  });

  it('filters by text, keeps the filter in the address, and names the place of a mistake', async () => {
    const filter = session.page.getByRole('combobox', { name: 'Filter' });
    await session.page.keyboard.press('/');
    await filter.fill('latency > 6s and inputs.customer = c3');
    await filter.press('Enter');
    await session.page.getByText('2 of 2 traces').waitFor();

    const shared = await PageSession.open(browser, server.url);
    await shared.goto(new URL(session.page.url()).pathname + new URL(session.page.url()).search);
    await shared.signIn(server.key);
    await shared.page.getByText('2 of 2 traces').waitFor();
    await shared.close();

    await filter.fill('latency >');
    await filter.press('Enter');
    await session.page.getByText('A value is expected here.').waitFor();
    expect(await session.violations()).toEqual([]);
    await button('Clear the filter').click();
    await session.page.getByText('60 of 60 traces').waitFor();
  });

  it('adds a value of a facet to the filter and removes it again', async () => {
    const facet = session.page
      .getByRole('region', { name: 'Op' })
      .getByRole('button', { name: /^classify/ });
    await facet.click();
    await session.page.getByText('30 of 30 traces').waitFor();
    await facet.click();
    await session.page.getByText('60 of 60 traces').waitFor();
  });

  it('shows a trace that arrives without a reload', async () => {
    const fresh = aProject();
    await session.goto(`/${fresh}/weave/traces`);
    await session.page.getByText('No traces yet').waitFor();
    await seedTraces(server, fresh);

    await link('agent.run').first().waitFor();
  });

  it('shows how to send the first trace, and opens the project when it arrives', async () => {
    const entity = `new-${Date.now()}`;
    const { key } = await server.post('/admin/keys/create', {
      user: 'new',
      scope: entity,
      role: 'write',
    });
    const first = await PageSession.open(browser, server.url);
    await first.goto('/');
    await first.signIn(key);
    await first.page.getByText('Waiting for the first trace').waitFor();
    await first.page.getByText('weave.init("me/first")').waitFor();
    expect(await first.violations()).toEqual([]);

    await seedTraces(server, `${entity}/first`);

    await first.page.getByRole('link', { name: 'agent.run' }).first().waitFor();
    expect(first.page.url()).toBe(`${server.url}/${entity}/first/weave/traces`);
    expect(first.errors).toEqual([]);
    await first.close();
  });

  it('returns from a trace to the same place of the list with the same filter', async () => {
    await session.goto(`/${project}/weave/traces?q=latency+%3E+1s`);
    await link('agent.run').first().waitFor();
    const list = session.page.getByRole('region', { name: 'Traces' });
    await list.evaluate((element) => element.scrollTo(0, 640));
    const before = await list.getByRole('link').first().getAttribute('href');
    await list.getByRole('link').nth(12).click();
    await session.page.getByRole('treeitem', { selected: true }).waitFor();

    await session.page.keyboard.press('Escape');

    await list.waitFor();
    expect(session.page.url()).toContain('q=latency');
    expect(await list.evaluate((element) => element.scrollTop)).toBe(640);
    expect(await list.getByRole('link').first().getAttribute('href')).toBe(before);
  });

  it('opens the link that the SDKs print, with the failed call, its place in the tree and its stack', async () => {
    await session.goto(`/${project}/r/call/root-7-tool`);
    const call = session.page.getByRole('treeitem', { selected: true });
    await call.waitFor();

    expect(await call.getAttribute('aria-level')).toBe('2');
    expect(await call.getAttribute('aria-posinset')).toBe('2');
    expect(await call.innerText()).toContain('search');
    await session.page.getByText('Timeout: no response within 5 s').first().waitFor();
    expect(await session.violations()).toEqual([]);
  });

  it('shows messages as a conversation, and payloads as text only', async () => {
    await session.goto(`/${project}/weave/calls/root-4-chat`);
    await session.page.getByText('Where to go on trip 4?').waitFor();
    await session.page.getByText('To Lisbon.').waitFor();
    expect(await session.violations()).toEqual([]);

    await session.goto(`/${project}/weave/calls/root-4?tab=output`);
    await session.page.getByText('<script>alert(1)</script> trip 4').waitFor();
    expect(await session.violations()).toEqual([]);
  });

  it('filters the calls by a value of a payload', async () => {
    await session.goto(`/${project}/weave/calls/root-4?tab=inputs`);
    await button('customer').click();
    await button('Calls with this value').click();

    await session.page.getByText('12 of 12 calls').waitFor();
    expect(session.page.url()).toContain('q=inputs.customer+%3D+c4');
  });

  it('takes feedback by keyboard, and takes it back', async () => {
    await session.goto(`/${project}/weave/calls/root-4?tab=feedback`);
    const up = button('Thumbs up');
    await up.waitFor();
    await session.page.keyboard.press('+');
    await session.page.getByRole('button', { name: 'Thumbs up', pressed: true }).waitFor();
    await session.page.getByLabel('Note').fill('Looks right.');
    await button('Add note').click();
    await session.page.getByText('Looks right.').waitFor();
    expect(await session.violations()).toEqual([]);

    await session.page.reload();
    await session.page.getByText('Looks right.').waitFor();
    await session.page.getByRole('button', { name: 'Thumbs up', pressed: true }).click();
    await session.page.getByRole('button', { name: 'Thumbs up', pressed: false }).waitFor();
  });

  it(`moves through a trace of ${LARGE_TRACE} calls by keyboard with few elements`, async () => {
    const large = aProject();
    await seedLargeTrace(server, large, LARGE_TRACE);
    await session.goto(`/${large}/weave/traces/large`);
    const selected = session.page.getByRole('treeitem', { selected: true });
    await session.page.getByText('10,000 calls').waitFor();
    await session.page.getByRole('tree').focus();

    await session.page.keyboard.press('End');
    await selected.getByText('error').waitFor();
    expect(session.page.url()).toContain(`call=large-${LARGE_TRACE - 1}`);
    await session.page.keyboard.press('Home');
    await session.page.keyboard.press('ArrowLeft');
    await session.page.getByText('9,999 inside').waitFor();
    await session.page.keyboard.press('e');
    await selected.getByText('error').waitFor();
    expect(await session.elements()).toBeLessThan(1500);
    expect(await session.violations()).toEqual([]);
  });

  it('explains its keys, and goes to a project by name', async () => {
    await session.goto('/');
    await session.page.getByRole('row', { name: new RegExp(project) }).waitFor();
    await session.page.keyboard.press('?');
    await session.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await session.violations()).toEqual([]);
    await session.page.keyboard.press('Escape');
    await session.page.keyboard.press('Control+k');
    await session.page.getByRole('combobox', { name: 'Project or action' }).fill(project);
    expect(await session.violations()).toEqual([]);
    await session.page.keyboard.press('Enter');
    await session.page.getByText('60 of 60 traces').waitFor();
  });

  it('fits into 320 pixels, and is readable in the dark', async () => {
    const small = await PageSession.open(browser, server.url, { width: 320, colorScheme: 'dark' });
    for (const path of ['/', `/${project}/weave/traces`, `/${project}/r/call/root-7-tool`]) {
      await small.goto(path);
      if (path === '/') await small.signIn(server.key);
      await small.page
        .getByText(/agent\.run|search|acme/)
        .first()
        .waitFor();
      const width = await small.page.evaluate(() => document.documentElement.scrollWidth);
      expect([path, width]).toEqual([path, 320]);
      expect(await small.violations()).toEqual([]);
    }
    expect(small.errors).toEqual([]);
    await small.close();
  });

  it('shows what the role of a key allows, and returns to the login when the key is revoked', async () => {
    const { key, id } = await server.post('/admin/keys/create', {
      user: 'eve',
      scope: project,
      role: 'read',
    });
    const reader = await PageSession.open(browser, server.url);
    const path = `/${project}/weave/calls/root-4?tab=feedback`;
    await reader.goto(path);
    await reader.signIn(key);
    await reader.page.getByText('This key may read feedback, not give it.').waitFor();

    await server.post('/admin/keys/revoke', { id });

    await reader.page.getByLabel('API key').waitFor();
    expect(reader.page.url()).toBe(server.url + path);
    await reader.close();
  });
});

describe('the files of the page', () => {
  const assets = join(root, 'dist/apps/web/assets');
  const gzipped = (name: string) => statSync(join(assets, `${name}.gz`)).size;
  const index = readFileSync(join(root, 'dist/apps/web/index.html'), 'utf8');
  const firstScripts = [...index.matchAll(/assets\/([\w-]+\.js)"/g)].map(([, name]) => name!);

  it('are at most 160 kB of script until the first list, and 12 kB of style', () => {
    const isCompressed = (name: string) => readdirSync(assets).includes(`${name}.gz`);
    const styles = readdirSync(assets).filter(
      (name) => name.endsWith('.css') && isCompressed(name),
    );
    const sum = (names: readonly string[]) =>
      names.reduce((total, name) => total + gzipped(name), 0);

    expect(firstScripts.length).toBeGreaterThan(0);
    expect(sum(firstScripts.filter(isCompressed))).toBeLessThan(160_000);
    expect(sum(styles)).toBeLessThan(12_000);
  });

  it('are compressed, cached for a year and served without a key', async () => {
    const response = await fetch(`${server.url}/assets/${firstScripts[0]}`);

    expect(response.status).toBe(200);
    expect(response.headers.get('content-encoding')).toMatch(/^(br|gzip)$/);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await fetch(`${server.url}/assets/unknown.js`)).status).toBe(404);
    expect((await fetch(`${server.url}/assets/..%2findex.html`)).status).toBe(404);
  });

  it('allow no inline script and nothing from elsewhere, and do not hide operations', async () => {
    const html = { headers: { accept: 'text/html' } };
    for (const path of [
      '/',
      '/acme/demo',
      '/acme/demo/weave/leaderboards/x',
      '/acme/demo/r/call/c',
    ]) {
      const { status, headers } = await fetch(server.url + path, html);
      expect([path, status]).toEqual([path, 200]);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; /,
      );
      expect(headers.get('content-security-policy')).toContain(
        "require-trusted-types-for 'script'",
      );
    }
    expect((await fetch(`${server.url}/calls/query`, html)).status).toBe(405);
    expect((await fetch(`${server.url}/acme/demo`)).status).toBe(404);
    expect((await fetch(`${server.url}/acme/demo/else`, html)).status).toBe(404);
  });
});
