import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/processes.js';
import { sharedServer } from '../support/test-server.js';
import { openBrowser, PageSession } from './page-session.js';
import { openScreen, SCREEN_NAMES, seedScreens } from './screens.js';

const server = sharedServer();
const directory = join(root, 'docs/images');
const isWritten = process.env['SCREENSHOTS'] === 'write';
const SCHEMES = ['light', 'dark'] as const;
const TOTAL_MAX_BYTES = 3_000_000;

const fileOf = (name: string, scheme: string) => `${name}-${scheme}.png`;
const NAMES = ['login', ...SCREEN_NAMES];

/** `npm run screenshots` makes them again. */
describe('the screenshots of the documentation', () => {
  beforeAll(async () => {
    if (!isWritten) return;
    mkdirSync(directory, { recursive: true });
    const screens = await seedScreens(server, 'acme/travel');
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
      for (const screen of screens) {
        await openScreen(session, screen);
        await session.page.waitForTimeout(400);
        await shoot(screen.name);
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
