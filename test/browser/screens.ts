import type { TestServer } from '../support/test-server.js';
import { evaluate, publishDataset } from './analysis-data.js';
import { seedChats } from './chats.js';
import type { PageSession } from './page-session.js';
import { seedRichCall, seedTraces } from './traces.js';

export interface Screen {
  readonly name: string;
  readonly path: string;
  /** Visible once the screen is complete. */
  readonly text: string | RegExp;
  readonly prepare?: (session: PageSession) => Promise<unknown>;
}

const click = (name: string) => (session: PageSession) =>
  session.page.getByRole('button', { name, exact: true }).click();

export async function openScreen(session: PageSession, { path, text, prepare }: Screen) {
  await session.goto(path);
  await session.page.getByText(text).locator('visible=true').first().waitFor();
  await prepare?.(session);
}

/** Stores what the screens show. Returns every screen of the page, in the order of the how-to. */
export async function seedScreens(server: TestServer, project: string): Promise<Screen[]> {
  await seedTraces(server, project);
  await seedRichCall(server, project);
  await seedChats(server, project);
  const runs = await seedEvaluations(server, project);
  await seedThread(server, project);
  return screens(project, runs);
}

/** The names are known before anything is stored. */
export const SCREEN_NAMES = screens('', []).map(({ name }) => name);

function screens(project: string, runs: readonly string[]): Screen[] {
  const weave = `/${project}/weave`;
  return [
    { name: 'home', path: '/', text: project },
    { name: 'traces', path: `${weave}/traces`, text: /[1-9]\d* of \d+ traces/ },
    {
      name: 'columns',
      path: `${weave}/traces?q=latency+%3E+3s&cols=status,latency,cost,inputs.customer,input`,
      text: /[1-9]\d* of \d+ traces/,
      prepare: click('Columns'),
    },
    { name: 'trace', path: `${weave}/calls/root-7-chat`, text: 'To Lisbon.' },
    { name: 'error', path: `/${project}/r/call/root-7-tool`, text: 'Timeout: no response' },
    { name: 'chat', path: `${weave}/calls/rich`, text: 'Lisbon' },
    { name: 'tools', path: `/${project}/r/call/chat-openai`, text: 'Take a hat.' },
    { name: 'payload', path: `${weave}/calls/root-4?tab=output`, text: 'alert(1)' },
    { name: 'code', path: `${weave}/calls/rich?tab=code`, text: 'return plan' },
    { name: 'feedback', path: `${weave}/calls/rich?tab=feedback`, text: 'Quality' },
    { name: 'object', path: `${weave}/objects/quality/versions/latest`, text: 'field_schema' },
    { name: 'evaluations', path: `${weave}/evaluations`, text: 'Leaderboard' },
    {
      name: 'comparison',
      path: `${weave}/evaluations/compare?ids=${runs.join(',')}`,
      text: /became worse/,
    },
    { name: 'dataset', path: `${weave}/objects/quiz/versions/latest`, text: 'example 7' },
    { name: 'thread', path: `${weave}/threads/lisbon`, text: 'A light one for the evening.' },
    { name: 'costs', path: `${weave}/costs`, text: 'gpt-4o' },
    { name: 'prices', path: `${weave}/prices`, text: 'gpt-4o' },
    { name: 'statistics', path: `${weave}/stats`, text: 'agent.run' },
    { name: 'alerts', path: `${weave}/alerts`, text: 'Alerts' },
    { name: 'operations', path: '/-/operations', text: 'Dead letters' },
  ];
}

async function seedEvaluations(server: TestServer, project: string): Promise<string[]> {
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

async function seedThread(server: TestServer, project: string): Promise<void> {
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
