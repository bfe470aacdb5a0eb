/** `/public/wl.js`: reads its settings from the page and adds `wl` to it. */
import { createFacade } from './facade.ts';
import { VERSION } from '../core/version.ts';
import { readSettings } from './settings.ts';

const { wl: known, wlConfig } = window;
if (!known || Array.isArray(known)) {
  const script = document.currentScript;
  const settings = readSettings(wlConfig ?? {}, script instanceof HTMLScriptElement ? script : null);
  const [wl, start] = createFacade(settings, `wl.js/${VERSION}`, known);
  if (known) known.push = (...commands) => (wl.push(...commands), 0);
  window.wl = wl;
  start();
}
