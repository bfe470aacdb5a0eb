/** What every event captures of the page. */

/** Campaign parameters that advertisers add to addresses. */
const CAMPAIGN = /^(?:utm_(?:source|medium|campaign|term|content|id)|gclid|fbclid)$/;

/** Parameters that grant access, by name or by value: a JSON Web Token, a long random text. */
const SECRET_NAME = /token|secret|passw|pwd|auth|session|signature|jwt|otp|api_?key|^(?:key|code|sig|sid|state)$/i;
const SECRET_VALUE = /^ey[\w-]+\.[\w-]+\.|^(?=.*\d)(?=.*[a-z])[\w+/=-]{32,}$/i;

export type Properties = Record<string, unknown>;

/** An address without its fragment and without what grants access. */
export function cleanUrl(text: string): string | undefined {
  if (!text) return undefined;
  const url = new URL(text);
  url.hash = url.username = url.password = '';
  for (const [name, value] of new URLSearchParams(url.search)) {
    if (!CAMPAIGN.test(name) && (SECRET_NAME.test(name) || SECRET_VALUE.test(value)))
      url.searchParams.set(name, 'redacted');
  }
  return url.href;
}

/** The campaign that brought somebody to this page. */
export function campaignOf(): Properties {
  return Object.fromEntries([...new URLSearchParams(location.search)].filter(([name]) => CAMPAIGN.test(name)));
}

/** The page as it is now. */
export function capturePage(previous: string | undefined): Properties {
  return {
    url: cleanUrl(location.href),
    previous_url: previous,
    referrer: cleanUrl(document.referrer),
    title: document.title || undefined,
    language: navigator.language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    screen: `${screen.width}x${screen.height}`,
    viewport: `${innerWidth}x${innerHeight}`,
    ...campaignOf(),
  };
}
