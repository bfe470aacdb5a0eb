/** Steps of tests on the page to ask. */
import type { Page } from 'playwright-core';

export const question = (page: Page): Promise<string> => page.getByLabel('Question', { exact: true }).inputValue();

export const firstColumn = (page: Page): Promise<string[]> =>
  page.locator('table.answer tbody td:first-child').allInnerTexts();

/** Opens the page at `path` and waits for its names. */
export async function openAsk(page: Page, path: string, q?: string): Promise<void> {
  const named = page.waitForResponse(/\/names$/);
  await page.goto(path + (q === undefined ? '' : `#q=${encodeURIComponent(q)}`));
  await named;
}

/** Replaces the query with another and runs it from the keyboard. */
export async function sendQuery(page: Page, text: string): Promise<void> {
  await page.getByLabel('Question', { exact: true }).fill(text);
  await page.keyboard.press('Escape'); // closes the proposals
  await page.keyboard.press('Control+Enter');
}

/** The same, and waits until its answer is shown. */
export async function askQuery(page: Page, text: string): Promise<void> {
  await sendQuery(page, text);
  await page.locator('.ask-form:not([aria-busy])').waitFor();
}
