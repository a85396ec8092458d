import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Locator, Page } from 'playwright-core';
import { longTasksIn, TRACE_CATEGORIES, type LongTask } from './long-tasks.js';

export { openBrowser } from '../support/chromium.mjs';

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** The server refuses these on purpose, and the browser reports every 401 as an error. */
const EXPECTED = /status of 401/;

/** More than any screen of the tests has controls. */
const TABS_MAX = 150;
/** More than that, with every row of a list. */
const WALK_MAX = 600;

/** A tab with everything that went wrong in it. */
export class PageSession {
  readonly errors: string[] = [];
  readonly requests: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly url: string,
  ) {
    page.on('console', (message) => {
      if (message.type() === 'error' && !EXPECTED.test(message.text())) {
        this.errors.push(`${message.text()} (${message.location().url})`);
      }
    });
    page.on('pageerror', (error) => this.errors.push(error.message));
    page.on('request', (request) => this.requests.push(request.url()));
  }

  static async open(
    browser: Browser,
    url: string,
    settings: {
      width?: number;
      height?: number;
      colorScheme?: 'light' | 'dark';
      forcedColors?: 'active' | 'none';
    } = {},
  ): Promise<PageSession> {
    const { width = 1280, height = 800, colorScheme = 'light', forcedColors = 'none' } = settings;
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme,
      forcedColors,
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    // A busy machine may be several times slower than an idle one.
    context.setDefaultTimeout(120_000);
    return new PageSession(await context.newPage(), url);
  }

  async goto(path: string): Promise<void> {
    await this.page.goto(this.url + path);
  }

  async signIn(key: string): Promise<void> {
    await this.page.getByLabel('API key').fill(key);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor();
  }

  /** What axe finds under WCAG 2.2 A and AA, one line for each element. */
  async violations(): Promise<string[]> {
    // Evaluated by the debugger, which the content security policy of the page does not concern.
    await this.page.evaluate(axeSource);
    return this.page.evaluate(async () => {
      interface Finding {
        id: string;
        nodes: { target: unknown[]; failureSummary?: string }[];
      }
      const { axe } = globalThis as unknown as {
        axe: {
          run: (on: unknown, how: object) => Promise<{ violations: Finding[]; passes: unknown[] }>;
        };
      };
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
      const { violations, passes } = await axe.run(document, { runOnly: tags });
      if (passes.length === 0) return ['axe has checked nothing'];
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
      );
    });
  }

  async metrics(): Promise<Readonly<Record<string, number>>> {
    const client = await this.page.context().newCDPSession(this.page);
    await client.send('Performance.enable');
    const { metrics } = await client.send('Performance.getMetrics');
    await client.detach();
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  }

  /** What scripts of the page hold, without garbage. */
  async heapBytes(): Promise<number> {
    const client = await this.page.context().newCDPSession(this.page);
    await client.send('HeapProfiler.collectGarbage');
    const { usedSize } = await client.send('Runtime.getHeapUsage');
    await client.detach();
    return usedSize;
  }

  /** Records the tasks of the page's own thread from now on; the result returns those of more than 50 ms of CPU time. */
  async longTasks(): Promise<() => Promise<LongTask[]>> {
    const browser = this.page.context().browser()!;
    await browser.startTracing(this.page, { categories: TRACE_CATEGORIES });
    return async () => longTasksIn(await browser.stopTracing());
  }

  /**
   * The CPU time that this machine needs now to parse a payload of this size at once: the median of three times; 0 when it is no long
   * task.
   */
  async parseMillis(megabytes: number): Promise<number> {
    await this.page.evaluate((count) => {
      const items = Array.from({ length: count }, (_, i) => [`item ${i}`.padEnd(90)]);
      Reflect.set(globalThis, 'textToParse', JSON.stringify(items));
    }, megabytes * 10_000);
    const longTasks = await this.longTasks();
    for (let i = 0; i < 3; i++)
      await this.page.evaluate(() => {
        JSON.parse(Reflect.get(globalThis, 'textToParse') as string);
      });
    const times = (await longTasks()).map(({ ms }) => ms).sort((one, other) => other - one);
    return times[1] ?? 0;
  }

  /** Counts from now on what only a mouse, a pen or a finger does. */
  async watchPointers(): Promise<() => Promise<string[]>> {
    const seen: string[] = [];
    await this.page.exposeFunction('pointerSeen', (name: string) => seen.push(name));
    await this.page.addInitScript(() => {
      for (const name of ['pointerdown', 'mousedown', 'touchstart'])
        window.addEventListener(
          name,
          () => (window as unknown as { pointerSeen: (name: string) => void }).pointerSeen(name),
          true,
        );
    });
    return async () => {
      await this.page.evaluate(() => undefined);
      return seen;
    };
  }

  /** Presses Tab until the element has the focus. */
  async tabTo(element: Locator): Promise<void> {
    await element.waitFor();
    for (let n = 0; n < TABS_MAX; n++) {
      if (await element.evaluate((one) => one === document.activeElement)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${String(element)}.`);
  }

  /**
   * Presses Tab through the whole screen. Returns the controls that never had the focus, and those that did not show it. The
   * elements in the document decide, so a control that only a pointer can use is in the result too.
   */
  async unreachedByTab(): Promise<string[]> {
    await this.page.evaluate(() => {
      const controls =
        'a[href], button, input, select, textarea, summary, [role=link], [role=button]';
      const isUsable = (element: HTMLElement) =>
        element.checkVisibility({ visibilityProperty: true }) &&
        !element.matches(':disabled, [tabindex="-1"]');
      const left = new Set([...document.querySelectorAll<HTMLElement>(controls)].filter(isUsable));
      const unshown = new Set<HTMLElement>();
      Object.assign(window, { left, unshown });
      addEventListener('focusin', ({ target }) => {
        const element = target as HTMLElement;
        if (element === document.body) return;
        left.delete(element);
        const { outlineStyle, boxShadow } = getComputedStyle(element);
        if (outlineStyle === 'none' && boxShadow === 'none') unshown.add(element);
      });
      document.body.tabIndex = -1;
      document.body.focus();
    });
    // Also through regions that scroll, which are no controls, and rows that are added when a list scrolls.
    for (let n = 0; n < WALK_MAX; n++) {
      await this.page.keyboard.press('Tab');
      const isDone = await this.page.evaluate(
        () => (window as unknown as { left: Set<HTMLElement> }).left.size === 0,
      );
      if (isDone) break;
    }
    return this.page.evaluate(() => {
      const { left, unshown } = window as unknown as Record<string, Set<HTMLElement>>;
      const text = (element: HTMLElement) => element.outerHTML.slice(0, 200);
      const gone = (element: HTMLElement) => !element.isConnected;
      return [
        ...[...left!].filter((one) => !gone(one)).map((one) => `not reached: ${text(one)}`),
        ...[...unshown!].map((one) => `focus not shown: ${text(one)}`),
      ];
    });
  }

  /** What the page has copied. */
  copied(): Promise<string> {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  elements(): Promise<number> {
    return this.page.evaluate(() => document.querySelectorAll('*').length);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
