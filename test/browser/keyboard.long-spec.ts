import type { Browser } from 'playwright-core';
import { eventually } from '../support/processes.js';
import { startItem } from '../support/records.js';
import { aProject, sharedServer } from '../support/test-server.js';
import { openBrowser, PageSession } from './page-session.js';
import { seedLargeTrace, seedTraces } from './traces.js';

const server = sharedServer();
const project = aProject();
const CALLS = 1_000;

/** The stories of users by keys alone, the later ones with the colours that a user forces on all pages. */
describe('a user without a mouse', () => {
  let browser: Browser;

  beforeAll(async () => {
    [browser] = await Promise.all([openBrowser(), seedTraces(server, project)]);
  });
  afterAll(() => browser.close());

  it('goes from the login to feedback and back without a mouse', async () => {
    const session = await PageSession.open(browser, server.url);
    const { page } = session;
    const { keyboard } = page;
    const pointers = await session.watchPointers();
    await session.goto('/');
    await page.getByLabel('API key').waitFor();
    await keyboard.type(server.key);
    await keyboard.press('Enter');
    await page.getByRole('row', { name: new RegExp(project) }).waitFor();
    await session.tabTo(page.getByRole('link', { name: project }));
    expect(await session.violations()).toEqual([]);
    await keyboard.press('Enter');
    await page.getByText(/of 6\d traces/).waitFor();

    await keyboard.press('/');
    await keyboard.type('inputs.text = "trip 7" and status = s');
    await page.getByRole('option', { name: /^success/ }).waitFor();
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await keyboard.press('Enter');
    await page.getByText('1 of 1 traces').waitFor();
    expect(await session.violations()).toEqual([]);
    await keyboard.press('Escape');
    await keyboard.press('j');
    await page.locator('#row-root-7:focus').waitFor();
    await keyboard.press('Enter');

    await page.getByRole('treeitem', { selected: true }).waitFor();
    await keyboard.press('e');
    await page.getByText('Timeout: no response within 5 s').first().waitFor();
    await session.tabTo(page.getByRole('tab', { name: 'Inputs' }));
    await keyboard.press('ArrowLeft');
    await page.getByRole('tab', { name: 'Feedback', selected: true }).waitFor();
    await keyboard.press('+');
    const up = (pressed: boolean) =>
      page.getByRole('button', { name: 'Thumbs up', pressed }).waitFor();
    await up(true);
    await keyboard.press('u');
    await up(false);
    await keyboard.press('m');
    await keyboard.type('The tool is slow.');
    await keyboard.press('Control+Enter');
    await page.getByRole('listitem').getByText('The tool is slow.').waitFor();
    expect(await session.violations()).toEqual([]);

    await keyboard.press('Escape');
    await keyboard.press('Escape');
    await page.getByText('1 of 1 traces').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toContain('trip 7');
    const stored = { project_id: project, fields: ['feedback_type', 'payload'] };
    expect((await server.post('/feedback/query', stored)).result).toMatchObject([
      { feedback_type: 'wandb.note.1', payload: { note: 'The tool is slow.' } },
    ]);
    expect(await pointers()).toEqual([]);
    expect(session.errors).toEqual([]);
    await session.close();
  });

  /** A tab that knows whether anything but a key was used. */
  async function withoutMouse(path: string, key: string) {
    const settings = { colorScheme: 'dark', forcedColors: 'active' } as const;
    const session = await PageSession.open(browser, server.url, settings);
    const pointers = await session.watchPointers();
    await session.goto(path);
    await session.page.getByLabel('API key').waitFor();
    await session.page.keyboard.type(key);
    await session.page.keyboard.press('Enter');
    await session.page.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor();
    const close = async () => {
      expect(await pointers()).toEqual([]);
      expect(session.errors).toEqual([]);
      await session.close();
    };
    return { session, page: session.page, keyboard: session.page.keyboard, close };
  }

  it('goes through a large trace, unfolds an error and sees which call is selected in forced colours', async () => {
    const large = aProject();
    await seedLargeTrace(server, large, CALLS);
    const { session, page, keyboard, close } = await withoutMouse(
      `/${large}/weave/traces`,
      server.key,
    );
    await page.getByRole('link', { name: 'workflow' }).waitFor();
    await keyboard.press('j');
    await page.locator('#row-large-0:focus').waitFor();
    await keyboard.press('Enter');
    await page.getByText('1,000 calls').waitFor();
    await session.tabTo(page.getByRole('tree'));
    const selected = page.getByRole('treeitem', { selected: true });

    await keyboard.press('End');
    await selected.getByText('error').waitFor();
    await keyboard.press('Home');
    await keyboard.press('ArrowLeft');
    await page.getByText('999 inside').waitFor();
    await eventually(
      async () => (await selected.getAttribute('aria-expanded')) === 'false',
      10_000,
    );
    await keyboard.press('e');
    await selected.getByText('error').waitFor();
    expect(await selected.getAttribute('aria-level')).toBe('3');
    // A background is replaced by the user's own: the outline and the bars must be seen without it.
    const drawn = () =>
      selected.evaluate((row) => {
        const bar = row.lastElementChild!.firstElementChild!;
        const [outline, background] = [
          getComputedStyle(row).outlineStyle,
          getComputedStyle(bar).backgroundColor,
        ];
        return {
          outline,
          isBarSeen: background !== getComputedStyle(document.body).backgroundColor,
        };
      });
    // A row is drawn again when its call is read.
    await eventually(async () => (await drawn()).outline === 'solid', 10_000);
    expect(await drawn()).toEqual({ outline: 'solid', isBarSeen: true });
    expect(await session.violations()).toEqual([]);
    await close();
  });

  it('sees why a cost is what it is', async () => {
    const { session, page, keyboard, close } = await withoutMouse(
      `/${project}/weave/traces`,
      server.key,
    );
    await session.tabTo(page.getByRole('link', { name: 'Costs' }));
    await keyboard.press('Enter');
    const figure = page.getByRole('button', { name: /^Cost of gpt-4o/ });
    await session.tabTo(figure);
    await keyboard.press('Enter');
    const sum = page.getByRole('region', { name: 'Sum of gpt-4o' });
    await sum
      .getByText(/[Pp]rice/)
      .first()
      .waitFor();
    await page.waitForURL(/sum=gpt-4o/);
    expect(await figure.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await session.violations()).toEqual([]);
    await close();
  });

  it('finds, mends and replays a dead letter', async () => {
    const own = aProject();
    const bad = startItem({ project_id: own, id: 'bad', started_at: 'yesterday', inputs: {} });
    await server.post('/call/upsert_batch', { batch: [bad] });
    const operator = { user: 'operator', scope: own, role: 'admin' };
    const { key } = await server.post('/admin/keys/create', operator);
    const { session, page, keyboard, close } = await withoutMouse('/', key);
    const press = async (name: string | RegExp, role: 'button' | 'link' = 'button') => {
      await session.tabTo(page.getByRole(role, { name }).first());
      await keyboard.press('Enter');
    };
    await press(/^operator/);
    await press('Operations', 'link');
    await press('Dead letters', 'link');
    await press(/started_at: must be/);
    await session.tabTo(
      page.getByRole('region', { name: 'Dead letters' }).getByRole('button').first(),
    );
    await keyboard.press('Enter');
    const item = page.getByLabel('Item');
    await session.tabTo(item);
    const mended = (await item.inputValue()).replace('yesterday', '2026-03-01T10:00:00Z');
    await keyboard.press('Control+a');
    await keyboard.insertText(mended);
    await keyboard.press('Control+Enter');
    await page.getByText('It would be stored now.').waitFor();
    expect(await session.violations()).toEqual([]);
    await press('Replay corrected');
    await page.getByText('Replayed.').waitFor();

    const isStored = await eventually(async () => {
      const { count } = await server.post('/calls/query_stats', { project_id: own });
      return count === 1;
    }, 20_000);
    expect(isStored).toBe(true);
    await close();
  });
});
