/** The first and the last campaign that brought somebody here, for the profile. */
import type { Properties } from './capture.ts';
import { campaignIn } from './address.ts';
import { referrer } from './capture.ts';
import { ownJson } from './own-json.ts';
import type { Store } from './store.ts';

/** Notes the campaign in the page's address, if there is one. */
export function noteTouch(store: Store): void {
  const campaign = JSON.stringify({ ...campaignIn(location.search), referrer: referrer() });
  if (!/"(?:utm|gc|fbc)/.test(campaign)) return;
  if (!store.get('first')) store.set('first', campaign);
  store.set('last', campaign);
}

/** A campaign as profile properties: `first_utm_source`, `last_utm_source` and so on. */
export function touchOf(store: Store, which: 'first' | 'last'): Properties {
  const touch = ownJson<Properties>(store.get(which) ?? '{}');
  return Object.fromEntries(Object.entries(touch).map(([name, value]) => [`${which}_${name}`, value]));
}
