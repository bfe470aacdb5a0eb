/** `wl.choice`: picks a variant and sends the event that says who saw it, which the source `choice` reads. */
import type { Variants } from '../core/choose.ts';
import { choose } from '../core/choose.ts';
import { IDLE_MS } from './identity.ts';
import { ownJson } from './own-json.ts';
import type { Store } from './store.ts';
import type { Windlass } from './windlass.ts';

/** Replaces the device in pages that store nothing, where each page gets its own variants. */
const STRANGER = String(Math.random());

/** Adds `wl.choice`, which returns undefined if there are no variants. */
export function addChoice(wl: Windlass): void {
  wl.choice = (key: string, variants: Variants) => {
    try {
      const variant = choose({ key, variants, unit: wl.ids().device_id ?? STRANGER, seed: wl.inner?.seed ?? '' });
      if (wl.inner) expose(wl, wl.inner.store, { choice_key: key, variant_key: variant });
      return variant;
    } catch {
      return undefined;
    }
  };
}

/** Sends an exposure, once per session. */
function expose(wl: Windlass, store: Store, exposure: { choice_key: string; variant_key: string }): void {
  const [last, session] = sessionOf(store);
  const seen = seenIn(store, session);
  if (seen.includes(exposure.choice_key) && (!last || Math.abs(Date.now() - last) <= IDLE_MS)) return;
  wl.track('choice.exposure', exposure);
  const [, now] = sessionOf(store); // the event may have begun a session
  store.set('choices', JSON.stringify([now, ...seenIn(store, now), exposure.choice_key]));
}

function sessionOf(store: Store): [last: number, session: string] {
  const [last = '', session = ''] = (store.get('session') ?? '').split(' ');
  return [Number(last), session];
}

function seenIn(store: Store, session: string): string[] {
  const [of, ...seen] = ownJson<string[]>(store.get('choices') ?? '[]');
  return of === session ? seen : [];
}
