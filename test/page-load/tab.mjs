const SLOWEST_MS = 120_000;

/** A tab of the page, signed in. */
export class Tab {
  constructor(page, url, cdp) {
    Object.assign(this, { page, url, cdp });
  }

  static async open(browser, server, { path = '/', height = 800, url = queryUrl(server) } = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height } });
    context.setDefaultTimeout(SLOWEST_MS);
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Performance.enable');
    const tab = new Tab(page, url, cdp);
    await tab.goto(path);
    await page.getByLabel('API key').fill(server.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor();
    return tab;
  }

  goto(path) {
    return this.page.goto(this.url + path);
  }

  /** CPU time of the page's main thread, since the tab was opened. */
  async taskMs() {
    return (await this.#metric('TaskDuration')) * 1000;
  }

  /** After a garbage collection. */
  async heapMb() {
    await this.cdp.send('HeapProfiler.collectGarbage');
    return (await this.#metric('JSHeapUsedSize')) / 1e6;
  }

  /** How long each operation took whose response arrives while `act` runs: path → ms. */
  async requestMs(act) {
    const taken = new Map();
    const onFinished = (request) => {
      if (request.method() !== 'POST') return;
      taken.set(new URL(request.url()).pathname, Math.round(request.timing().responseEnd));
    };
    this.page.on('requestfinished', onFinished);
    await act();
    this.page.off('requestfinished', onFinished);
    return taken;
  }

  /** The rows that the list shows: id → texts of the cells. */
  rows() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('tbody tr:not([aria-hidden])')].map((row) =>
        [row.querySelector('[id^=row-]').id, ...[...row.cells].map((cell) => cell.innerText)].join(
          ' | ',
        ),
      ),
    );
  }

  close() {
    return this.page.context().close();
  }

  async #metric(name) {
    const { metrics } = await this.cdp.send('Performance.getMetrics');
    return metrics.find((metric) => metric.name === name).value;
  }
}

const queryUrl = ({ query }) => `http://127.0.0.1:${query.port}`;
