/** `windlass-client/browser`: the script as a module, for bundled pages. */
import { addChoice } from '../browser/choice.ts';
import { createFacade } from '../browser/facade.ts';
import type { Settings } from '../browser/settings.ts';
import { plainHost } from '../browser/settings.ts';
import { VERSION } from '../core/version.ts';
import type { Windlass } from '../browser/windlass.ts';

export type { Settings } from '../browser/settings.ts';
export type { Before, Command, Ids, ProfileOperations, Windlass, WindlassEvent } from '../browser/windlass.ts';

/**
 * Works like `wl.js`, with settings from the program. Without a window, on a server that renders pages, it collects nothing, and
 * its calls do nothing.
 */
export function startWindlass(settings: Partial<Settings> & Pick<Settings, 'key' | 'host'>): Windlass {
  const [wl, start] = createFacade({ ...settings, host: plainHost(settings.host ?? '') }, `windlass-client/${VERSION}`);
  addChoice(wl);
  if (typeof window !== 'undefined') start();
  return wl;
}
