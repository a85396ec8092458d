import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of the machine. Rejects and says what to install when there is none. */
export async function openBrowser() {
  const executablePath = PLACES.find((place) => existsSync(place));
  if (executablePath === undefined) {
    throw new Error(
      'The tests of the page need Chromium and found none: apt-get install -y chromium.',
    );
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
