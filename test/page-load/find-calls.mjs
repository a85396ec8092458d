import assert from 'node:assert/strict';
import { PROJECT } from '../bench/query-data.mjs';
import { Tab } from './tab.mjs';

/** Until something is drawn, and from there until the list is. */
const [PAGE_MS, LIST_MS] = [600, 500];
const LIST = `/${PROJECT}/weave/traces?calls=all`;
const FILTER = 'status = error and latency > 2s and inputs.meta.customer = c7';
const FOUND = `project_id = '${PROJECT}' AND status = 'error' AND leaf_s['inputs.meta.customer'] = 'c7'
  AND dateDiff('millisecond', started_at, ended_at) > 2000`;

/** Finds some calls among a million, shares them by their address, and returns to them. */
export async function findCalls({ server, browser, figures }) {
  const [newest] = await idsOf(server, `project_id = '${PROJECT}'`, 1);
  const found = await idsOf(server, FOUND, 100);
  assert(found.length > 1, 'The filter of the test finds nothing.');
  const tab = await Tab.open(browser, server, { path: LIST });
  const shows = (id) => tab.page.locator(`[id="row-${id}"]`).waitFor();
  await shows(newest);

  await figures.step('page with the newest calls, from the address', PAGE_MS + LIST_MS, tab, {
    prepare: () => tab.goto('/'),
    run: async () => {
      await tab.goto(LIST);
      await shows(newest);
    },
  });
  await completes(tab);
  const filter = tab.page.getByRole('combobox', { name: 'Filter' });
  const search = {
    prepare: async () => {
      await tab.goto(LIST);
      await tab.page.getByText(/of [\d,]+ calls/).waitFor();
      await filter.fill(FILTER);
    },
    run: async () => {
      await filter.press('Enter');
      await shows(found[0]);
    },
  };
  await figures.step('list of a filter by status, latency and a path', 1000, tab, search);
  await tab.page.getByText(`${found.length} of ${found.length} calls`).waitFor();
  await requests(tab, figures, search);
  await isShared({ server, browser, tab, found });
  await isFoundByText(tab, figures);
  await returns(tab);
  await tab.close();
}

async function idsOf(server, where, limit) {
  const rows = await server.sql(
    `SELECT id FROM calls FINAL WHERE ${where} ORDER BY started_at DESC, id DESC LIMIT ${limit}`,
  );
  return rows.map(([id]) => id);
}

/** A part of a path is completed from what the list contains. */
async function completes(tab) {
  const filter = tab.page.getByRole('combobox', { name: 'Filter' });
  await filter.fill('status = error and latency > 2s and inputs.meta.cust');
  await tab.page.getByRole('option', { name: /^inputs\.meta\.customer/ }).waitFor();
}

async function requests(tab, figures, search) {
  await search.prepare();
  const taken = await tab.requestMs(async () => {
    const others = ['/calls/histogram', '/calls/facets'].map((path) =>
      tab.page.waitForResponse((response) => response.url().endsWith(path)),
    );
    await search.run();
    for (const response of await Promise.all(others)) await response.finished();
  });
  for (const [path, ms] of taken) figures.add(`request ${path} of that list, ms`, ms);
}

/** The same address shows another person the same rows, columns and order. */
async function isShared({ server, browser, tab, found }) {
  const columns = 'cols=cost,inputs.meta.customer&sort=summary.weave.latency_ms';
  await tab.goto(`${LIST}&q=${encodeURIComponent(FILTER)}&${columns}`);
  await tab.page.getByText(`${found.length} of ${found.length} calls`).waitFor();
  const { pathname, search } = new URL(tab.page.url());
  const other = await Tab.open(browser, server, { path: pathname + search });
  await other.page.getByText(`${found.length} of ${found.length} calls`).waitFor();
  const rows = await tab.rows();
  assert.equal(rows.length, found.length);
  assert.deepEqual(await other.rows(), rows);
  await other.close();
}

async function isFoundByText(tab, figures) {
  const text = '"word976 is here. word976"';
  const filter = tab.page.getByRole('combobox', { name: 'Filter' });
  await figures.step('list of a text in payloads', 1500, tab, {
    prepare: async () => {
      await tab.goto(LIST);
      await tab.page.getByText(/of [\d,]+ calls/).waitFor();
      await filter.fill(text);
    },
    run: async () => {
      await filter.press('Enter');
      await tab.page.locator('tbody mark').first().waitFor();
    },
  });
}

/** Back from a call is the same place of the same list. */
async function returns(tab) {
  await tab.goto(`${LIST}&q=${encodeURIComponent('latency > 2s')}`);
  const list = tab.page.getByRole('region', { name: 'Traces' });
  await list.waitFor();
  await list.evaluate((element) => element.scrollTo(0, 2400));
  await list.evaluate(
    (element) => new Promise((resolve) => requestAnimationFrame(() => resolve(element.scrollTop))),
  );
  const address = tab.page.url();
  const before = await list.evaluate((element) => element.scrollTop);
  assert.equal(before, 2400);
  await list.getByRole('link').nth(12).click();
  await tab.page.getByRole('treeitem', { selected: true }).waitFor();
  await tab.page.goBack();
  await list.waitFor();
  await tab.page.waitForFunction(
    (top) => document.querySelector('[role=region][aria-label=Traces]').scrollTop === top,
    before,
  );
  assert.equal(tab.page.url(), address);
}
