import assert from 'node:assert/strict';
import { readMigrations, renderMigration } from '../../dist/libs/clickhouse/src/index.js';
import { startGateway } from '../support/cluster-gateway.mjs';
import { Tab } from './tab.mjs';

const PROJECT = 'bench/priced';
const MODEL = 'my-model';
const MONTHS = 6;
/** Reading what a price would change, with the page around it. */
const PREVIEW_MS = 1000;
/** A worker waits up to half a minute for those with old prices; the rest is the time of the rows. */
const REFRESHED_SECONDS = 150;

/** Sets a price in the past of all calls of a project: its effect first, then the refresh of what is stored. */
export async function priceCalls({ server, browser, figures, calls }) {
  await load(server, calls);
  const tokens = await tokensOf(server);
  const dollars = Number(tokens) / 10_000_000;
  // Only a gateway serves both the page and the writes that it sends.
  const gateway = await startGateway({
    ingest: server.ingests.map(({ port }) => port),
    query: [server.query.port],
  });
  const tab = await Tab.open(browser, server, {
    path: `/${PROJECT}/weave/prices`,
    url: gateway.url,
  });
  await figures.step('what a price would change', PREVIEW_MS, tab, {
    prepare: () => fill(tab),
    run: async () => {
      await tab.page.getByRole('button', { name: 'What would change?' }).click();
      await change(tab).getByRole('row', { name: /Total/ }).waitFor();
    },
  });
  const total = change(tab).getByRole('row', { name: /Total/ }).getByRole('cell');
  assert.deepEqual(await total.allInnerTexts(), ['', '$0', money(dollars), `+${money(dollars)}`]);
  await refresh({ server, tab, figures, calls, dollars });
  await tab.close();
  gateway.close();
}

async function fill(tab) {
  await tab.goto(`/${PROJECT}/weave/prices`);
  const { page } = tab;
  await page.getByText('Set a price of this project', { exact: true }).click();
  await page.getByLabel('Model', { exact: true }).fill(MODEL);
  for (const [label, value] of [
    [/^Input/, '0.1'],
    [/^Output/, '0'],
    ['In force since', '2026-01-01'],
  ])
    await page.getByLabel(label).first().fill(value);
}

const change = ({ page }) => page.getByRole('region', { name: 'What would change' });

/** Saves the price. Reports use it at once, the page shows how far stored costs are, and in the end all have it. */
async function refresh({ server, tab, figures, calls, dollars }) {
  const started = performance.now();
  await tab.page.getByRole('button', { name: 'Save the price' }).click();
  await tab.page.getByText('The stored costs of calls are refreshed').waitFor();
  const { json } = await server.send('/costs/report', { project_id: PROJECT });
  assert.equal(json.results[0].total_cost, dollars);
  await tab.page.getByText(`of ${calls.toLocaleString('en')} calls.`).waitFor();
  const progress = await tab.page.getByRole('progressbar', { name: 'Refreshed calls' });
  const [done, all] = await progress.evaluate(({ value, max }) => [value, max]);
  assert.ok(done > 0 && done <= all, `${done} of ${all} calls are refreshed.`);
  await tab.page.getByText('The stored costs of calls are refreshed').waitFor({ state: 'hidden' });
  const seconds = Math.round((performance.now() - started) / 1000);
  figures.add('stored costs are refreshed after, s', seconds, REFRESHED_SECONDS);
  const [[stored, priced]] = await server.sql(
    `SELECT toString(count()), toString(sum(cost_at_write)) FROM calls FINAL WHERE project_id = '${PROJECT}'`,
  );
  assert.deepEqual([Number(stored), Number(priced)], [calls, dollars]);
}

async function load(server, calls) {
  const [[stored]] = await server.sql(
    `SELECT toUInt32(count()) FROM calls WHERE project_id = '${PROJECT}'`,
  );
  if (stored > 0) await forget(server);
  await server.sql(`INSERT INTO calls (project_id, started_at, id, trace_id, op_name, op_id, ended_at, status, inputs, output, summary, attributes, size_bytes, usage_model, usage_requests, usage_prompt, usage_uncached, usage_completion, usage_cache_read, usage_cache_write, usage_total, version, is_deleted)
SELECT '${PROJECT}', addMonths(toDateTime64('2026-05-01 00:00:00', 6, 'UTC'), number % ${MONTHS}) + toIntervalSecond(number) AS at,
  concat('priced-', toString(number)) AS call, call, 'op', 'op', at, 'success', '{"a":1}', '{"b":2}',
  concat('{"usage":{"${MODEL}":{"requests":1,"prompt_tokens":', toString(tokens), '}}}'), '{}', 100,
  ['${MODEL}'], [1], [tokens], [tokens], [0], [0], [0], [tokens], 2, 0
FROM (SELECT number, 100 + number % 1000 AS tokens FROM numbers(${calls}))`);
  const { text } = readMigrations().find(({ name }) => name === 'root_usage');
  const statements = renderMigration(text, { kind: 'single' });
  await server.sql(statements.find((one) => one.startsWith('INSERT')));
}

/** A directory that was kept has the calls of the run before, with their price. */
async function forget(server) {
  for (const table of ['calls', 'root_usage', 'prices']) {
    const column = table === 'prices' ? 'level_id' : 'project_id';
    await server.sql(
      `ALTER TABLE ${table} DELETE WHERE ${column} = '${PROJECT}' SETTINGS mutations_sync = 2`,
    );
  }
}

async function tokensOf(server) {
  const [[tokens]] = await server.sql(
    `SELECT toString(sum(total)) FROM root_usage FINAL WHERE project_id = '${PROJECT}'`,
  );
  return tokens;
}

const money = (dollars) => `$${dollars.toLocaleString('en', { maximumFractionDigits: 12 })}`;
