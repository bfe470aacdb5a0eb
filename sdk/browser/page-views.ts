/** When a page is seen: when it loads, when its address becomes another one without loading, when it comes back. */

/** However often a page changes its address within it, that is one view, ms. */
const SETTLE_MS = 50;

/** Calls `view` with the moment of each view. `spa`: also where the page changes its own address. Answers what ends waiting. */
export function watchPageViews(view: (time: number) => void, spa: boolean): () => void {
  const address = (): string => location.pathname + location.search;
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
    addEventListener('popstate', changed);
  }
  return settle;
}
