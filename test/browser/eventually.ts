/** Looks at a page again and again: most of what a page shows comes a moment after the step that asks for it. */
import { PAGE_PATIENCE } from './chromium.ts';

const LOOK_EVERY_MS = 50;

/** Waits until `look` no longer throws; fails with what it threw last. */
export async function eventually(look: () => unknown): Promise<void> {
  const end = Date.now() + PAGE_PATIENCE;
  for (;;) {
    try {
      await look();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
