/** Watched pages: collects what must never happen on any page, to be checked after every test. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PAGE_PATIENCE } from './chromium.ts';

/** A page and the forbidden things it did. */
export interface Watched {
  readonly page: Page;
  /** Policy violations, console errors and warnings, scripts that threw, requests to other hosts. */
  readonly complaints: string[];
  close(): Promise<void>;
}

const TELL_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) => {
  console.error('policy violated: ' + event.violatedDirective + ' by ' + event.blockedURI);
});`;

/** A page in its own browser context. `origins`: the hosts it may contact. */
export async function openWatched(
  browser: Browser,
  { origins, options = {} }: { origins: readonly string[]; options?: BrowserContextOptions },
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(PAGE_PATIENCE);
  const complaints: string[] = [];
  context.on('request', (request) => {
    const { origin } = new URL(request.url());
    if (!origins.includes(origin) && origin !== 'null') complaints.push(`asked another host: ${request.url()}`);
  });
  context.on('weberror', (error) => complaints.push(`a script threw: ${error.error().message}`));
  context.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (/the server responded with a status of 4\d\d/.test(message.text())) return; // the tests check these themselves
    complaints.push(`console: ${message.text()}`);
  });
  await context.addInitScript({ content: TELL_VIOLATIONS });
  return { page: await context.newPage(), complaints, close: () => context.close() };
}
