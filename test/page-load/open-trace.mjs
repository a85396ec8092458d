import { PROJECT } from '../bench/query-data.mjs';
import { Tab } from './tab.mjs';

const TIMES_OPENED = 100;

/** Opens a trace of 30,000 calls, and another one again and again. */
export async function openTrace({ server, browser, figures }) {
  const [[count]] = await server.sql(
    `SELECT uniqExact(id) FROM calls WHERE project_id = '${PROJECT}' AND trace_id = 'big-trace'`,
  );
  const tab = await Tab.open(browser, server);
  const { page } = tab;
  const open = () => tab.goto(`/${PROJECT}/weave/traces/big-trace`);
  const prepare = () => tab.goto('/');
  const calls = `${Number(count).toLocaleString('en-US')} calls`;
  await figures.step(`first rows of a trace of ${calls}`, 700, tab, {
    prepare,
    run: async () => {
      await open();
      await page.getByRole('treeitem').first().waitFor();
    },
  });
  await figures.step(`all of a trace of ${calls}`, 2500, tab, {
    prepare,
    run: async () => {
      await open();
      await page.getByText(calls).waitFor();
      await page.getByText('reading…').waitFor({ state: 'detached' });
    },
  });
  figures.add('elements with it', await page.locator('*').count(), 1500);
  figures.add('heap with it, MB', Math.round(await tab.heapMb()), 120);
  await opensAgain(tab, figures);
  await tab.close();
}

/** Opening and closing traces leaves nothing behind. */
async function opensAgain(tab, figures) {
  const { page } = tab;
  const list = `/${PROJECT}/weave/traces?calls=all`;
  await tab.goto(list);
  const rows = page.locator('tbody a[id^=row-]');
  const openAndClose = async (times) => {
    for (let n = 0; n < times; n++) {
      await rows.nth(n % 10).click();
      await page.getByRole('treeitem', { selected: true }).waitFor();
      await page.keyboard.press('Escape');
      await rows.first().waitFor();
    }
  };
  // The first ones fill caches that are bounded, and let V8 compile what they use: code is part of the heap.
  await openAndClose(TIMES_OPENED);
  const before = await tab.heapMb();
  await openAndClose(TIMES_OPENED);
  const after = await tab.heapMb();
  figures.add('heap before, MB', Number(before.toFixed(1)));
  figures.add(
    `heap after opening ${TIMES_OPENED} traces, share of that before`,
    Number((after / before).toFixed(2)),
    1.1,
  );
}
