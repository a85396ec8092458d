import type { Browser, Locator } from 'playwright-core';
import { eventually } from '../support/processes.js';
import { aStart } from '../support/records.js';
import { aProject, sharedServer } from '../support/test-server.js';
import { openBrowser, PageSession } from './page-session.js';
import { seedTraces } from './traces.js';

const server = sharedServer();
const project = aProject();

describe('the controls of the list and of a trace', () => {
  let browser: Browser;
  let session: PageSession;

  beforeAll(async () => {
    [browser] = await Promise.all([openBrowser(), seedTraces(server, project)]);
    session = await PageSession.open(browser, server.url);
    await session.goto(`/${project}/weave/traces`);
    await session.signIn(server.key);
  });
  afterEach(() => {
    expect(session.errors.splice(0)).toEqual([]);
  });
  afterAll(() => browser.close());

  const button = (name: string | RegExp) => session.page.getByRole('button', { name });

  /** Drags the mouse over an element, from one share of its width to another. */
  async function drag(element: Locator, from: number, to: number): Promise<void> {
    await element.waitFor();
    const { x, y, width, height } = (await element.boundingBox())!;
    const { mouse } = session.page;
    await mouse.move(x + width * from, y + height / 2);
    await mouse.down();
    await mouse.move(x + width * to, y + height / 2, { steps: 4 });
    await mouse.up();
  }

  it('chooses a time range by dragging over the histogram, and a width at the border of a column', async () => {
    await session.page.getByText('60 of 60 traces').waitFor();
    const histogram = session.page.getByRole('img', { name: /^60 calls with/ });
    await drag(histogram, 0.25, 0.75);
    await session.page.waitForURL(/from=[^&]+&to=/);
    await session.page.getByText(/^([23]\d) of \1 traces$/).waitFor();
    expect(await button('Live').isDisabled()).toBe(true);
    await session.page.getByLabel('Time range').selectOption('');
    await session.page.getByText('60 of 60 traces').waitFor();

    const header = session.page.getByRole('columnheader', { name: 'Latency' });
    const before = (await header.boundingBox())!.width;
    await drag(header.locator('[class*=resize]'), 0.5, 10);
    await session.page.waitForURL(/cols=[^&]*latency~\d+/);
    expect((await header.boundingBox())!.width).toBeGreaterThan(before + 20);
  });

  it('reads the next page of a list after the last call of the one before', async () => {
    const bodies: string[] = [];
    session.page.on('request', (request) => {
      if (request.url().endsWith('/calls/preview')) bodies.push(request.postData() ?? '');
    });
    await session.goto(`/${project}/weave/traces?calls=all`);
    await session.page.getByText('100 of 180 calls').waitFor();
    await session.page.keyboard.press('End');
    await session.page.getByText('180 of 180 calls').waitFor();
    await session.page.keyboard.press('End');
    await session.page.locator('[id^=row-root-59]:focus').waitFor();

    expect(bodies.at(-1)).toMatch(/"\$lte":\[\{"\$getField":"started_at"\}.*"offset":0/);
  });

  it('finds a text in names and payloads of a trace, and chooses a time on its map', async () => {
    await session.goto(`/${project}/r/call/root-7`);
    const find = session.page.getByLabel('Find in trace');
    const selected = session.page.getByRole('treeitem', { selected: true });
    await find.fill('sear');
    await session.page.getByText('1 found').waitFor();
    await find.press('Enter');
    await selected.getByText('search').waitFor();
    await find.fill('to Lisbon');
    await session.page.getByText('1 found').waitFor();
    await find.press('Enter');
    await selected.getByText('openai.chat.completions.create').waitFor();
    await session.page.waitForURL(/find=to\+Lisbon/);

    // The map is shown again when the selected call is read, which ends a drag that has begun before.
    const map = session.page.getByRole('img', { name: 'All calls over time' });
    const isZoomed = () => /zoom=/.test(session.page.url());
    await eventually(async () => isZoomed() || (await drag(map, 0.2, 0.6), isZoomed()), 10_000);
    await button('Whole trace').click();
    await session.page.waitForURL((url) => !url.searchParams.has('zoom'));
    expect(await session.violations()).toEqual([]);
  });

  it('shows after a reload what was folded, hidden and searched', async () => {
    const rows = session.page.getByRole('treeitem');
    const root = rows.first();
    await session.goto(`/${project}/r/call/root-7`);
    await rows.nth(2).waitFor();
    const all = await rows.count();
    await session.page.getByRole('tree').press('ArrowLeft');
    await eventually(async () => (await rows.count()) === 1, 10_000);
    await session.page.reload();
    await root.waitFor();
    expect(await root.getAttribute('aria-expanded')).toBe('false');
    expect(await rows.count()).toBe(1);
    await button('Next error').click();
    await session.page.getByRole('treeitem', { selected: true, name: /search/ }).waitFor();
    await session.page.waitForURL((url) => !url.searchParams.has('fold'));
    expect(await rows.count()).toBe(all);

    await session.goto(`/${project}/weave/calls/root-7?tab=summary`);
    await button(/^Fold summary\./)
      .first()
      .click();
    await session.page.waitForURL(/open=summary\./);
    await session.page.reload();
    const folded = button(/^Unfold summary\./);
    await folded.click();
    await session.page.waitForURL((url) => !url.searchParams.has('open'));

    const other = aProject();
    const inputs = { text: `${'a long text '.repeat(500)}and its end` };
    await server.post('/call/start', {
      start: aStart({ project_id: other, id: 'long-text', trace_id: 'long-text', inputs }),
    });
    await session.goto(`/${other}/weave/calls/long-text?tab=inputs`);
    await button('more').click();
    await session.page.getByText(/and its end/).waitFor();
    await session.page.reload();
    await session.page.getByText(/and its end/).waitFor();
    await button('less').click();
    await session.page.getByText(/and its end/).waitFor({ state: 'detached' });

    const facets = session.page.getByRole('complementary', { name: 'Facets' });
    await session.goto(`/${project}/weave/traces`);
    await facets.waitFor();
    await button('Facets').click();
    await facets.waitFor({ state: 'detached' });
    await session.page.reload();
    await session.page.getByText('60 of 60 traces').waitFor();
    expect(await facets.count()).toBe(0);

    await session.goto('/');
    await session.page.getByLabel('Find a project').fill('no such');
    await session.page.waitForURL(/find=no\+such/);
    await session.page.reload();
    await session.page.getByLabel('Find a project').waitFor();
    expect(await session.page.getByRole('rowheader').count()).toBe(0);
  });

  it('opens the link of a value inside a payload', async () => {
    await session.goto(`/${project}/weave/calls/root-4?tab=inputs&path=inputs.customer`);
    await button('Calls with this value').waitFor();
    await session.page.getByText('inputs.customer').first().waitFor();
  });

  it('switches the shortcuts of single keys off and on', async () => {
    const { keyboard } = session.page;
    const sheet = session.page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await button('Keyboard shortcuts').click();
    await sheet.getByRole('checkbox').uncheck();
    await keyboard.press('Escape');
    await keyboard.press('y');
    await keyboard.press('?');
    await keyboard.press('Control+k');
    const palette = session.page.getByRole('combobox', { name: 'Project or action' });
    await palette.waitFor();
    expect(await sheet.count()).toBe(0);
    await keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await button('Keyboard shortcuts').click();
    await sheet.getByRole('checkbox').check();
    await keyboard.press('Escape');
    await keyboard.press('?');
    await sheet.waitFor();
  });
});
