/** `wl`: keeps calls made before the page is visited, and never throws. */
import type { Client } from './client.ts';
import { createClient } from './client.ts';
import type { Settings } from './settings.ts';
import { isOn } from './settings.ts';
import type { Surroundings } from './surroundings.ts';
import type { Before, Command, Windlass } from './windlass.ts';

/** Most calls kept until the page is visited, which on a server it never is. */
const MOST_HELD = 100;

/**
 * @param earlier calls from before the script was there
 * @returns `wl`, and a function that starts it: a page must have `wl` first, as earlier calls may use it
 */
export function createFacade(
  settings: Settings,
  maker: string,
  earlier: readonly Command[] = [],
): readonly [wl: Windlass, start: () => void] {
  const log: Surroundings['log'] = (...words) => {
    // oxlint-disable-next-line no-console -- the page has asked for it
    if (isOn(settings.debug)) console.debug('wl:', ...words);
  };
  const told: Record<string, true> = {};
  const tell: Surroundings['tell'] = (what, about) => {
    // oxlint-disable-next-line no-console -- whoever wrote the page must know that data is lost
    told[what] ||= (console.warn('wl:', what, about), true);
  };
  const safe: Surroundings['safe'] =
    (act) =>
    (...args) => {
      try {
        return act(...args);
      } catch (error) {
        tell('failed', error);
        return undefined;
      }
    };
  let client: Client | undefined;
  const held: (() => void)[] = [];
  const when = <T>(act: (client: Client) => T): T | undefined => {
    if (client) return safe(act)(client);
    if (held.length < MOST_HELD) held.push(() => when(act));
    return undefined;
  };
  const run = safe((command: Command) => {
    if (typeof command === 'function') return when(command);
    const [name, ...args] = Array.from(command);
    if (name === 'before') setBefore(args[0]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is no method throws, which `safe` catches
    else (wl[name as keyof Windlass] as (...args: unknown[]) => void)(...args);
  });
  /** Takes the place of a hook, so that `wl.before(hook)` works like `wl.before = hook`. */
  const setBefore = (hook: unknown): void => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- calling what is no function throws, which `safe` catches
    wl.before = hook as Before;
  };
  const wl: Windlass = {
    before: settings.before ?? setBefore,
    track: (...args) => when((to) => to.track(...args)),
    identify: (...args) => when((to) => to.identify(...args)),
    reset: () => when((to) => to.reset()),
    optIn: () => when((to) => to.optIn()),
    optOut: () => when((to) => to.optOut()),
    flush: async () => when((to) => to.flush()),
    ids: () => (client ? client.ids() : {}),
    push: (...commands) => commands.forEach(run),
  };
  wl.push(...earlier);

  const start = safe(() => {
    client = createClient(settings, {
      maker,
      log,
      tell,
      safe,
      hook: () => (wl.before === setBefore ? undefined : wl.before),
    });
    wl.inner = { store: client.store, seed: settings.choiceSeed };
    for (const act of held) act();
  });
  return [
    wl,
    () => {
      if (document.prerendering) document.addEventListener('prerenderingchange', start);
      else start();
    },
  ];
}
