/** Answers that a page gets late: the server has answered, and the network takes its time. */
import type { Page, Request } from 'playwright-core';

export interface HeldAnswer {
  /** Resolves once the server has answered. */
  readonly answered: Promise<void>;
  /** Lets the page have the answer. */
  release(): void;
}

/** Holds back the answer to the next request that `isHeld` picks. */
export async function holdAnswer(page: Page, isHeld: (request: Request) => boolean): Promise<HeldAnswer> {
  const answered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let isTaken = false;
  await page.route('**/*', async (route) => {
    if (isTaken || !isHeld(route.request())) return route.fallback();
    isTaken = true;
    const response = await route.fetch();
    answered.resolve();
    await released.promise;
    await route.fulfill({ response });
  });
  return { answered: answered.promise, release: () => released.resolve() };
}

/** Holds back the page that is fetched again after a change, as it is by then. */
export function holdRefresh(page: Page): Promise<HeldAnswer> {
  return holdAnswer(page, (request) => request.method() === 'GET' && request.url() === page.url());
}
