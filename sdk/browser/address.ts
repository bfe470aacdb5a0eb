/** What is taken of addresses, and what is not. */

/** Campaign parameters that advertisers add to addresses, in any case. */
const CAMPAIGN = /^(?:utm_(?:source|medium|campaign|term|content|id)|gclid|fbclid)$/i;

/**
 * Parameters that grant access: names that end with such a word, as `access_token` and `sessionId` do; or values, a JSON Web Token,
 * a UUID, or a long random text. In that, letters and digits are mixed over more characters than in a word of a slug.
 */
const SECRET_NAME =
  /(?:token\w*|secret|passw\w*|pwd|auth|signature|jwt|otp|api_?key|session_?id|(?:\b|_)session|^(?:key|code|sig|sid|state))$/i;
const SECRET_VALUE =
  /^ey[\w-]+\.[\w-]+\.|^[\da-f-]{36}$|^(?=[\w+/=-]{32,}$).*(?:\b|_)(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{9}/i;

/** A fragment that a router in the page takes for a path, without its query. */
const ROUTE = /^#!?\/[^?]*/;

/** An address without what grants access and without its fragment, but for a route where `routes` are wanted. */
export function cleanUrl(text: string, routes?: boolean): string | undefined {
  if (!text) return undefined;
  const url = new URL(text);
  url.username = url.password = '';
  url.hash = (routes && ROUTE.exec(url.hash)?.[0]) || '';
  for (const [name, value] of new URLSearchParams(url.search)) {
    if (!CAMPAIGN.test(name) && (SECRET_NAME.test(name) || SECRET_VALUE.test(value)))
      url.searchParams.set(name, 'redacted');
  }
  return url.href;
}

/** The campaign in the query of an address: the first parameter of each name, as the server reads addresses. */
export function campaignIn(query: string): Record<string, string> {
  const campaign: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query))
    if (CAMPAIGN.test(name)) campaign[name.toLowerCase()] ??= value;
  return campaign;
}
