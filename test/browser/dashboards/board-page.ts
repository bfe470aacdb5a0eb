/** Dashboards in a browser, for tests: opens files, and lists what axe finds in them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { exportPage } from '../../../lib/dashboards/page/export-page.ts';
import type { SavedDashboard } from '../../../lib/dashboards/data.ts';

/** A folder of saved dashboards. */
export class SavedFiles {
  readonly #folder = mkdtempSync(join(tmpdir(), 'windlass-saved-'));

  /** Returns its address. */
  save(name: string, saved: SavedDashboard): string {
    const file = join(this.#folder, `${name}.html`);
    writeFileSync(file, exportPage(saved));
    return pathToFileURL(file).href;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

/** Waits until every card is drawn, also those far below. Does not poll by a script in the page: the policy refuses it. */
export async function allDrawn(page: Page): Promise<void> {
  await page.locator('.card').first().waitFor();
  await page.evaluate('["beforeprint", "afterprint"].forEach((name) => dispatchEvent(new Event(name)))');
  while (await page.evaluate(WAITING)) await page.waitForTimeout(20);
}

const WAITING =
  'document.querySelector(".card-waits, .card[aria-busy]") !== null || [...document.querySelectorAll(".ground")].some((ground) => ground.querySelector("svg") === null)';

/** What axe finds wrong, a line each, once no color changes any more. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
  await page.evaluate(axe.source);
  return page.evaluate(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`,
  );
}
