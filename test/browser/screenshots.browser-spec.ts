import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/processes.js';
import { sharedServer } from '../support/test-server.js';
import { evaluate, publishDataset } from './analysis-data.js';
import { seedChats } from './chats.js';
import { openBrowser, PageSession } from './page-session.js';
import { seedRichCall, seedTraces } from './traces.js';

const server = sharedServer();
const directory = join(root, 'docs/images');
const isWritten = process.env['SCREENSHOTS'] === 'write';
const SCHEMES = ['light', 'dark'] as const;
const TOTAL_MAX_BYTES = 3_000_000;
const project = 'acme/travel';

interface Screen {
  readonly name: string;
  readonly path: string | (() => string);
  /** Visible once the screen is complete. */
  readonly text: string | RegExp;
  readonly prepare?: (session: PageSession) => Promise<unknown>;
}

const click = (name: string) => (session: PageSession) =>
  session.page.getByRole('button', { name, exact: true }).click();

/** Of the evaluations. */
let runs: readonly string[] = [];

/** Every screen of the page, in the order of the how-to. */
const SCREENS: readonly Screen[] = [
  { name: 'home', path: '/', text: project },
  { name: 'traces', path: `/${project}/weave/traces`, text: /[1-9]\d* of \d+ traces/ },
  {
    name: 'columns',
    path: `/${project}/weave/traces?q=latency+%3E+3s&cols=status,latency,cost,inputs.customer,input`,
    text: /[1-9]\d* of \d+ traces/,
    prepare: click('Columns'),
  },
  { name: 'trace', path: `/${project}/weave/calls/root-7-chat`, text: 'To Lisbon.' },
  { name: 'error', path: `/${project}/r/call/root-7-tool`, text: 'Timeout: no response' },
  { name: 'chat', path: `/${project}/weave/calls/rich`, text: 'Lisbon' },
  { name: 'tools', path: `/${project}/r/call/chat-openai`, text: 'Take a hat.' },
  { name: 'payload', path: `/${project}/weave/calls/root-4?tab=output`, text: 'alert(1)' },
  { name: 'code', path: `/${project}/weave/calls/rich?tab=code`, text: 'return plan' },
  { name: 'feedback', path: `/${project}/weave/calls/rich?tab=feedback`, text: 'Quality' },
  {
    name: 'object',
    path: `/${project}/weave/objects/quality/versions/latest`,
    text: 'field_schema',
  },
  { name: 'evaluations', path: `/${project}/weave/evaluations`, text: 'Leaderboard' },
  {
    name: 'comparison',
    path: () => `/${project}/weave/evaluations/compare?ids=${runs.join(',')}`,
    text: /became worse/,
  },
  { name: 'dataset', path: `/${project}/weave/objects/quiz/versions/latest`, text: 'example 7' },
  {
    name: 'thread',
    path: `/${project}/weave/threads/lisbon`,
    text: 'A light one for the evening.',
  },
  { name: 'costs', path: `/${project}/weave/costs`, text: 'gpt-4o' },
  { name: 'prices', path: `/${project}/weave/prices`, text: 'gpt-4o' },
  { name: 'statistics', path: `/${project}/weave/stats`, text: 'agent.run' },
  { name: 'alerts', path: `/${project}/weave/alerts`, text: 'Alerts' },
  { name: 'operations', path: '/-/operations', text: 'Dead letters' },
];

async function seedEvaluations(): Promise<string[]> {
  const rows = Array.from({ length: 40 }, (_, n) => ({ text: `example ${n}`, city: 'Lisbon' }));
  const { rowRefs } = await publishDataset(server, project, 'quiz', rows);
  const run = (model: string, isRight: (n: number) => boolean, seconds: number) =>
    evaluate(
      server,
      project,
      model,
      rowRefs.map((example, n) => ({ example, isRight: isRight(n), seconds })),
    );
  return [
    await run('small', (n) => n >= 12, 0.5),
    await run('large', (n) => n >= 2 && n % 20 !== 7, 1.5),
  ];
}

async function seedThread(): Promise<void> {
  const turns = [
    ['Where is it warm in March?', 'In Lisbon, about 18 °C.'],
    ['Do I need a coat?', 'A light one for the evening.'],
    ['Which train from Porto?', 'The Alfa Pendular takes three hours.'],
  ];
  const batch = turns.map(([text, output], n) => ({
    ...{ project_id: project, id: `turn-${n}`, trace_id: `turn-${n}`, op_name: 'chat' },
    ...{ thread_id: 'lisbon', turn_id: `turn-${n}`, attributes: {}, inputs: { text }, output },
    started_at: new Date(Date.now() - 60_000 + n * 9000).toISOString(),
    ended_at: new Date(Date.now() - 60_000 + n * 9000 + 1400).toISOString(),
    summary: { usage: { 'gpt-4o': { requests: 1, prompt_tokens: 800, completion_tokens: 40 } } },
  }));
  await server.post(`/v2/${project}/calls/complete`, { batch });
}

const fileOf = (name: string, scheme: string) => `${name}-${scheme}.png`;
const NAMES = ['login', ...SCREENS.map(({ name }) => name)];

/** `npm run screenshots` makes them again. */
describe('the screenshots of the documentation', () => {
  beforeAll(async () => {
    if (!isWritten) return;
    mkdirSync(directory, { recursive: true });
    await seedTraces(server, project);
    await seedRichCall(server, project);
    await seedChats(server, project);
    runs = await seedEvaluations();
    await seedThread();
    const browser = await openBrowser();
    for (const colorScheme of SCHEMES) {
      const session = await PageSession.open(browser, server.url, {
        width: 1200,
        height: 700,
        colorScheme,
      });
      const shoot = (name: string) =>
        session.page.screenshot({ path: join(directory, fileOf(name, colorScheme)) });
      await session.goto('/');
      await session.page.getByLabel('API key').waitFor();
      await shoot('login');
      await session.signIn(server.key);
      for (const { name, path, text, prepare } of SCREENS) {
        await session.goto(typeof path === 'string' ? path : path());
        await session.page.getByText(text).locator('visible=true').first().waitFor();
        await prepare?.(session);
        await session.page.waitForTimeout(400);
        await shoot(name);
      }
      expect(session.errors).toEqual([]);
    }
    await browser.close();
  });

  it('exist for every screen, and are small', () => {
    const files = readdirSync(directory);
    const bytes = files.map((name) => statSync(join(directory, name)).size);

    expect(files).toEqual(
      expect.arrayContaining(
        NAMES.flatMap((name) => SCHEMES.map((scheme) => fileOf(name, scheme))),
      ),
    );
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(TOTAL_MAX_BYTES);
  });
});
