/** The browser of the tests: the system's Chromium or Chrome, found by its usual names. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser, LaunchOptions } from 'playwright-core';
import { chromium } from 'playwright-core';

const VARIABLE = 'WINDLASS_CHROMIUM';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

/** How long a browser may take for a step, milliseconds: less than a test may hang. */
export const PAGE_PATIENCE = 200_000;

/** Only what the tests request may go over the network. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Path of the browser. If there is none, throws an error that says what to do. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string {
  const named = env[VARIABLE];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new Error(`${VARIABLE} names ${named}, which is not there.`);
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new Error(
    `No browser: looked for ${NAMES.join(', ')} on the PATH. Install one (Debian: apt-get install chromium), or set ${VARIABLE} to its path.`,
  );
}

/** `switches`: further command-line switches. */
export function launchChromium(switches: readonly string[] = [], options: LaunchOptions = {}): Promise<Browser> {
  const args = [...QUIET, ...switches];
  return chromium.launch({ executablePath: findChromium(), headless: true, timeout: PAGE_PATIENCE, args, ...options });
}
