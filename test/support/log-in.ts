/** Takes a person through a login, with the test browser and the test provider. */
import type { RedirectBrowser, Visit } from './redirect-browser.ts';
import { destination } from './redirect-browser.ts';

/** Goes to the page on which the provider asks who one is. `start`: /auth/<provider> of a Windlass. */
export async function goToProvider(browser: RedirectBrowser, start: string): Promise<Visit> {
  const visit = await browser.follow(await browser.open(start));
  if (visit.response.status !== 200) throw new Error(`the provider answers ${visit.response.status}`);
  return visit;
}

/** Like `goToProvider`, then answers who one is (null: refuses). Returns the callback address without opening it. */
export async function getCallback(browser: RedirectBrowser, start: string, person: string | null): Promise<URL> {
  const { url } = await goToProvider(browser, start);
  const told = await browser.submit(url, person === null ? {} : { person });
  return callbackIn(await browser.follow(told, isCallback));
}

/** The whole login; returns Windlass's response to the callback. `person` null: the provider asks nobody. */
export async function logIn(browser: RedirectBrowser, start: string, person: string | null): Promise<Response> {
  const callback =
    person === null
      ? callbackIn(await browser.follow(await browser.open(start), isCallback))
      : await getCallback(browser, start, person);
  return (await browser.open(callback)).response;
}

/** The callback address that a response redirects to. */
export function callbackIn(visit: Visit): URL {
  const next = destination(visit);
  if (next === null || !isCallback(next)) throw new Error(`no callback after ${visit.url.href}`);
  return next;
}

export function isCallback(url: URL): boolean {
  return /\/auth\/[^/]+\/cb$/.test(url.pathname);
}
