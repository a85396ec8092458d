import type { Browser, Page } from 'playwright-core';
import { aProject, sharedServer } from '../support/test-server.js';
import { openBrowser, PageSession } from './page-session.js';
import { seedChats } from './chats.js';
import { seedTraces, sendCalls, startCall } from './traces.js';

const server = sharedServer();
const project = aProject();

/** The stories of users that go through several screens. */
describe('a user of the page', () => {
  let browser: Browser;

  beforeAll(async () => {
    [browser] = await Promise.all([openBrowser(), seedTraces(server, project)]);
    await seedChats(server, project);
  });
  afterAll(() => browser.close());

  const SCREENS = [
    ['/', project],
    [`/${project}/weave/traces`, /of 6\d traces/],
    [`/${project}/r/call/root-7-tool`, 'Timeout: no response'],
    [`/${project}/r/call/chat-openai`, 'You are kind.'],
    [`/${project}/weave/calls/root-7?tab=feedback`, 'No feedback yet'],
    [`/${project}/weave/costs`, 'gpt-4o'],
    [`/${project}/weave/stats`, 'agent.run'],
  ] as const;

  it('reaches every control in 320 pixels and at a zoom of 200 % without scrolling sideways', async () => {
    const narrow = { width: 320, height: 640 };
    const session = await PageSession.open(browser, server.url, { ...narrow, colorScheme: 'dark' });
    const { page } = session;
    await session.goto('/');
    await session.signIn(server.key);
    for (const [path, text] of SCREENS) {
      await page.setViewportSize(narrow);
      await session.goto(path);
      await page.getByText(text).locator('visible=true').first().waitFor();
      await page.setViewportSize({ width: 1280, height: 800 });
      const all = await settledNames(page);
      // 1280 × 800 pixels at 200 % are 640 × 400.
      for (const size of [narrow, { width: 640, height: 400 }]) {
        await page.setViewportSize(size);
        const { names, covered, width } = await controls(page);
        const missing = all.filter((name) => !names.includes(name));
        expect([path, missing, covered, width]).toEqual([path, [], [], size.width]);
        expect([path, await session.violations()]).toEqual([path, []]);
      }
    }
    expect(session.errors).toEqual([]);
    await session.close();
  });

  it('sees tool calls beside their results, whatever the provider, and opens a message by its link', async () => {
    const session = await PageSession.open(browser, server.url);
    const { page } = session;
    await session.goto(`/${project}/r/call/chat-openai`);
    await session.signIn(server.key);
    for (const [id, tool, result, last] of [
      ['chat-openai', 'weather', 'sunny in Paris', 'Take a hat.'],
      ['chat-anthropic', 'lookup', 'one entry', 'Done with it.'],
      ['chat-gemini', 'weather', '"temp": 21', 'It is warm.'],
      ['chat-genai', 'forecast', 'rain in Oslo', 'Take an umbrella.'],
    ] as const) {
      await session.goto(`/${project}/r/call/${id}`);
      const turn = page.getByRole('listitem').filter({ hasText: tool }).first();
      await turn.getByText(result).waitFor();
      // Beside its call, and not a second time where it was sent.
      expect([id, await page.getByText(result).count()]).toEqual([id, 1]);
      await page.getByText(last).waitFor();
    }
    const link = page.getByRole('listitem').filter({ hasText: 'Take an umbrella.' });
    await link.getByRole('button', { name: 'Copy link' }).click();
    await link.getByRole('button', { name: 'Copied' }).waitFor();
    await page.goto(await session.copied());
    await page.locator('[aria-current=true]').getByText('Take an umbrella.').waitFor();
    expect(await session.violations()).toEqual([]);
    expect(session.errors).toEqual([]);
    await session.close();
  });

  it('holds the list and counts what is new, and watches a call that runs until it ends', async () => {
    const live = aProject();
    const end = await startCall(server, live, 'job');
    const session = await PageSession.open(browser, server.url);
    const { page } = session;
    await session.goto(`/${live}/weave/traces`);
    await session.signIn(server.key);
    const row = page.getByRole('row', { name: /job/ });
    await row.getByText('running').waitFor();
    const latency = () => row.getByRole('cell').nth(2).innerText();
    const before = await latency();
    await page.waitForFunction(
      ([text]) => !document.querySelector('tbody')!.innerText.includes(text!),
      [before],
    );

    await page.getByRole('button', { name: 'Live', pressed: true }).waitFor();
    await page.keyboard.press('.');
    await page.getByRole('button', { name: 'Live', pressed: false }).waitFor();
    await sendCalls(server, live, ['late.1', 'late.2']);
    const pill = page.getByRole('button', { name: '2 new' });
    await pill.waitFor();
    expect(await page.getByRole('link', { name: /^late/ }).count()).toBe(0);
    expect(await session.violations()).toEqual([]);
    await pill.press('Enter');
    await page.getByRole('link', { name: 'late.2' }).waitFor();
    await page.keyboard.press('.');

    await page.getByRole('link', { name: 'job' }).click();
    await page.getByRole('treeitem', { selected: true }).getByText('running').waitFor();
    await end();
    await page
      .getByRole('treeitem', { selected: true })
      .getByText('running')
      .waitFor({ state: 'detached' });
    await page.getByLabel('Selected call').getByText('ok', { exact: true }).waitFor();
    expect(session.errors).toEqual([]);
    await session.close();
  });

  it('is told that there is nothing only once the server has said so', async () => {
    const session = await PageSession.open(browser, server.url);
    const { page } = session;
    for (const [path, open, shown, text] of [
      ['calls/root-5?tab=feedback', undefined, 'Add note', 'No feedback yet.'],
      ['traces', 'Views', 'Save as a new view', 'There are no saved views yet.'],
    ] as const) {
      let respond = () => {};
      const mayRespond = new Promise<void>((resolve) => (respond = resolve));
      const queries = /\/(objs|feedback)\/query$/;
      await page.route(queries, async (route) => {
        await mayRespond;
        await route.continue();
      });
      await session.goto(`/${project}/weave/${path}`);
      if (open === undefined) await session.signIn(server.key);
      else await page.getByRole('button', { name: open }).click();
      await page.getByRole('button', { name: shown }).waitFor();
      expect(await page.getByText(text).count()).toBe(0);
      respond();
      await page.getByText(text).waitFor();
      await page.unroute(queries);
    }
    expect(session.errors).toEqual([]);
    await session.close();
  });

  it.each([
    ['ingest', false, false],
    ['read', false, false],
    ['write', true, false],
    ['admin', true, true],
  ])('with the role %s sees only what it may do', async (role, mayWrite, isAdmin) => {
    const scope = role === 'admin' ? '*' : project;
    const { key } = await server.post('/admin/keys/create', { user: `u-${role}`, scope, role });
    const session = await PageSession.open(browser, server.url);
    const { page } = session;
    await session.goto(`/${project}/weave/calls/root-4?tab=feedback`);
    await session.signIn(key);
    if (role === 'ingest') {
      await page.getByText('This key may only send traces.').waitFor();
      expect(await page.getByRole('navigation').count()).toBe(0);
    } else {
      await page.getByText(mayWrite ? 'Add note' : 'This key may read feedback').waitFor();
      expect(await page.getByRole('button', { name: 'Thumbs up' }).count()).toBe(mayWrite ? 1 : 0);
      await session.goto(`/${project}/weave/traces`);
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByText('There are no saved views yet').waitFor();
      expect(await page.getByLabel('Name of the view').count()).toBe(mayWrite ? 1 : 0);
      await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: `u-${role}` }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await page.getByRole('link', { name: 'Operations' }).count()).toBe(isAdmin ? 1 : 0);
    expect(await session.violations()).toEqual([]);
    expect(session.errors.filter((error) => !error.includes('status of 403'))).toEqual([]);
    const weave_ref = `weave:///${project}/call/root-4`;
    const forced = { project_id: project, weave_ref, feedback_type: 'x', payload: { a: 1 } };
    // A key of the role ingest may send feedback with its traces.
    expect((await server.send('/feedback/create', forced, { key })).status).toBe(
      role === 'read' ? 403 : 200,
    );
    await session.close();
  });
});

interface Controls {
  readonly names: string[];
  /** Controls that another element covers, or that stay outside of the window. */
  readonly covered: string[];
  readonly width: number;
}

/** The names of the controls once a screen shows what it will show: a call opens as a chat when its payload has arrived. */
async function settledNames(page: Page): Promise<readonly string[]> {
  let before: readonly string[] = [];
  for (let n = 0; n < 30; n++) {
    const { names } = await controls(page);
    if (names.length > 0 && names.join() === before.join()) return names;
    before = names;
    await page.waitForTimeout(1000);
  }
  throw new Error(`The screen does not settle: ${before.join()}`);
}

/** The controls outside of tables, after scrolling to each of them. */
function controls(page: Page): Promise<Controls> {
  return page.evaluate(() => {
    const nameOf = (element: Element) =>
      (element.getAttribute('aria-label') ?? element.textContent).replace(/\s+/g, ' ').trim();
    const all = [
      ...document.querySelectorAll<HTMLElement>(
        'a[href], button:not(:disabled), input, select, textarea',
      ),
    ].filter((one) => {
      const isShown = one.checkVisibility({ visibilityProperty: true });
      return isShown && one.closest('table, [popover], aside') === null;
    });
    const isReached = (element: HTMLElement) => {
      element.scrollIntoView({ block: 'center', inline: 'center' });
      const { left, top, width, height } = element.getBoundingClientRect();
      const found = document.elementFromPoint(left + width / 2, top + height / 2);
      return found !== null && (element.contains(found) || found.contains(element));
    };
    const skip = (element: HTMLElement) => nameOf(element) !== 'Skip to content';
    return {
      // The palette is named by its keys where there is less space.
      names: all.map(nameOf).map((name) => name.replace(/^Go to… /, '')),
      covered: all.filter((one) => skip(one) && !isReached(one)).map(nameOf),
      width: document.documentElement.scrollWidth,
    };
  });
}
