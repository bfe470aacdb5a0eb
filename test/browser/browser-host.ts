/** A Windlass and a browser for tests: people log in by an operator link, and every page is watched. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Role } from '../../lib/control/types.ts';
import type { TestService } from '../support/service.ts';
import { startTestService } from '../support/service.ts';
import { makeLink } from '../support/session-browser.ts';
import { launchChromium } from './chromium.ts';
import type { Watched } from './watched-page.ts';
import { openWatched } from './watched-page.ts';

const CHECKS = readFileSync('test/browser/in-page/checks.js', 'utf8').replaceAll(/^export /gm, '');

/** How pages are viewed: in both colour schemes, on a desktop, on a phone, on the narrowest screen in use. */
export const VIEWS: readonly { readonly colorScheme: 'light' | 'dark'; readonly width: number }[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 320 },
];

export class BrowserHost {
  readonly service: TestService;
  readonly #browser: Browser;
  /** Other hosts that tests send pages to on purpose: login providers. */
  readonly #origins: readonly string[];
  #open: Watched[] = [];

  private constructor(service: TestService, browser: Browser, origins: readonly string[]) {
    this.service = service;
    this.#browser = browser;
    this.#origins = [service.url, ...origins];
  }

  static async start(
    settings: Readonly<Record<string, string>> = {},
    origins: readonly string[] = [],
  ): Promise<BrowserHost> {
    const browser = await launchChromium(); // first, as it is what may be missing
    return new BrowserHost(await startTestService(settings), browser, origins);
  }

  /** A page of somebody not logged in. */
  async page(options: BrowserContextOptions = {}): Promise<Page> {
    const watched = await openWatched(this.#browser, { origins: this.#origins, options });
    this.#open.push(watched);
    return watched.page;
  }

  /** The console of somebody who opened an operator link; with a grant, of a member of `orgId`. */
  async console(
    email: string,
    grant?: { orgId: string; role: Role },
    options: BrowserContextOptions = {},
  ): Promise<Page> {
    const page = await this.page(options);
    await this.logIn(page, email, grant);
    return page;
  }

  /** Opens an operator link in an existing page. */
  async logIn(page: Page, email: string, grant?: { orgId: string; role: Role }): Promise<void> {
    await page.goto(`${this.service.url}/auth/link?token=${await makeLink(this.service, email, grant)}`);
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL(`${this.service.url}/console`);
  }

  /** Call after every test: checks that no page did anything forbidden. */
  async finish(): Promise<void> {
    const complaints = this.#open.flatMap((watched) => watched.complaints);
    for (const watched of this.#open.splice(0)) await watched.close();
    expect(complaints).to.deep.equal([]);
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.service.stop();
  }
}

/** What is wrong with the page as shown once all of it has loaded, styles too, a sentence each. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.waitForLoadState();
  return page.evaluate(`${CHECKS}\nfaultsOfPage()`);
}

/** Fails with everything that is wrong with the page as shown. */
export async function expectSound(page: Page): Promise<void> {
  expect(await faultsOf(page)).to.deep.equal([]);
}
