/** What every event captures of the page. */
import { campaignIn, cleanUrl } from './address.ts';

export type Properties = Record<string, unknown>;

/** Where the page is: its address, and that of the view before. */
export interface Place {
  readonly url: string | undefined;
  readonly previous_url: string | undefined;
}

/** The page of another site that linked here. */
export function referrer(): string | undefined {
  const from = document.referrer;
  return from.split('/')[2] === location.host ? undefined : cleanUrl(from);
}

/** The page as it is now. */
export function capturePage(place: Place): Properties {
  return {
    ...place,
    referrer: referrer(),
    title: document.title || undefined,
    language: navigator.language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    screen: `${screen.width}x${screen.height}`,
    viewport: `${innerWidth}x${innerHeight}`,
    ...campaignIn(location.search),
  };
}
