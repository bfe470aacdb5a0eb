/** `/public/wl.js`: reads its settings from the page and adds `wl` to it. */
import { earlierCalls } from './earlier-calls.ts';
import { createFacade } from './facade.ts';
import { VERSION } from '../core/version.ts';

import { readSettings } from './settings.ts';

const earlier = earlierCalls();
if (earlier) {
  // A module has no current script.
  const script = document.currentScript ?? document.querySelector('script[data-key]');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of an SVG has no src, and is read all the same
  const settings = readSettings(window.wlConfig ?? {}, script as HTMLScriptElement | null);
  const [wl, start] = createFacade(settings, `wl.js/${VERSION}`, earlier);
  earlier.push = (...commands) => (wl.push(...commands), 0);
  window.wl = wl;
  start();
}
