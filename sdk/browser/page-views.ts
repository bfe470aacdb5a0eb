/** A page is viewed when it loads, when its address changes without loading, and when it comes back. */

/** Address changes of a page within this time are one view, ms. */
const SETTLE_MS = 50;

/**
 * Calls `view` with the time of each view. `spa`: also when the page changes its own `address`. Returns what ends waiting.
 */
export function watchPageViews(
  view: (time: number) => void,
  address: () => string | undefined,
  spa: boolean,
): () => void {
  let seen = address();
  let changedAt = 0;

  const settle = (): void => {
    if (changedAt && seen !== (seen = address())) view(changedAt);
    changedAt = 0;
  };
  const changed = (): void => {
    if (changedAt || address() === seen) return;
    changedAt = Date.now();
    setTimeout(settle, SETTLE_MS);
  };

  view(Date.now());
  addEventListener('pageshow', ({ persisted }) => persisted && view(Date.now()));
  if (spa) {
    for (const name of ['pushState', 'replaceState'] as const) {
      const original = history[name];
      history[name] = function (this: History, ...args) {
        original.apply(this, args);
        changed();
      };
    }
    addEventListener('popstate', changed); // also when only the fragment changes
  }
  return settle;
}
