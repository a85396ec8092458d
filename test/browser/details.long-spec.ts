import type { Browser } from 'playwright-core';
import { TABS } from '../../apps/web/src/operations/operations-search.js';
import { eventually } from '../support/processes.js';
import { startItem } from '../support/records.js';
import { aProject, sharedServer } from '../support/test-server.js';
import { openBrowser, PageSession } from './page-session.js';
import { openScreen, type Screen, SCREEN_NAMES, seedScreens } from './screens.js';

const server = sharedServer();
const project = aProject();
const weave = `/${project}/weave`;
/** A screen waits for its last request no longer than this. */
const SETTLED_WITHIN_MS = 20_000;
/** The budgets of a screen. */
const [REQUESTS_MAX, ELEMENTS_MAX] = [15, 1500];

const tabOf = (tab: string): Screen => ({
  name: `${tab} of a call`,
  path: `${weave}/calls/root-7-chat?tab=${tab}`,
  text: 'Attributes',
});
const operationsTab = (tab: string): Screen => ({
  name: `${tab} of the operations`,
  path: `/-/operations?tab=${tab}`,
  text: 'Operations',
});

/** Those that no screenshot shows. */
const DETAILS: readonly Screen[] = [
  ...['inputs', 'output', 'attributes', 'summary', 'cost'].map(tabOf),
  ...TABS.map(operationsTab),
  { name: 'two versions', path: `${weave}/objects/greeting/versions/v1?diff=v0`, text: 'politely' },
  { name: 'prices of a model', path: `${weave}/prices?model=gpt-4o`, text: 'Set a price of this' },
  { name: 'sum of a cost', path: `${weave}/costs?sum=gpt-4o`, text: 'Sum of gpt-4o' },
  {
    name: 'two traces',
    path: `${weave}/compare?calls=root-7,root-8`,
    text: 'openai.chat.completions.create',
  },
  { name: 'annotation queue', path: `${weave}/annotations`, text: 'Review', prepare: openQueue },
];

async function openQueue({ page }: PageSession): Promise<void> {
  await page.getByRole('link', { name: 'Review' }).click();
  await page.getByText('1 of 1 items left').waitFor();
}

describe('every control of every screen', () => {
  let browser: Browser;
  let session: PageSession;
  let screens: readonly Screen[];

  beforeAll(async () => {
    browser = await openBrowser();
    screens = [...(await seedScreens(server, project)), ...DETAILS];
    await seedDetails();
    session = await PageSession.open(browser, server.url);
    session.page.setDefaultTimeout(SETTLED_WITHIN_MS);
    await session.goto('/');
    await session.signIn(server.key);
  });
  afterEach(() => {
    expect(session.errors.splice(0)).toEqual([]);
  });
  afterAll(() => browser.close());

  it.each([...SCREEN_NAMES, ...DETAILS.map(({ name }) => name)])(
    'is reached by Tab and shows its focus: %s',
    async (name) => {
      session.requests.length = 0;
      await openScreen(
        session,
        screens.find((screen) => screen.name === name)!,
      );
      await session.page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined);
      await eventually(
        async () => (await session.page.getByText('Loading…').count()) === 0,
        SETTLED_WITHIN_MS,
      );

      const requests = session.requests.filter((url) => !url.includes('/assets/'));
      expect(requests.length).toBeLessThanOrEqual(REQUESTS_MAX);
      expect(await session.elements()).toBeLessThan(ELEMENTS_MAX);
      for (const colorScheme of ['dark', 'light'] as const) {
        await session.page.emulateMedia({ colorScheme });
        expect([colorScheme, await session.violations()]).toEqual([colorScheme, []]);
      }
      expect(await session.unreachedByTab()).toEqual([]);
    },
  );
});

async function seedDetails(): Promise<void> {
  for (const content of ['Greet politely.', 'Greet warmly.'])
    await server.post('/obj/create', {
      obj: { project_id: project, object_id: 'greeting', val: { _type: 'StringPrompt', content } },
    });
  const queue = await server.post('/annotation_queues', {
    ...{ project_id: project, name: 'Review' },
    scorer_refs: [],
  });
  await server.post(`/annotation_queues/${queue.id}/items`, {
    ...{ project_id: project, call_ids: ['root-7'], display_fields: ['inputs.text'] },
  });
  const bad = startItem({ project_id: project, id: 'bad', started_at: 'yesterday' });
  await server.post('/call/upsert_batch', { batch: [bad] });
}
