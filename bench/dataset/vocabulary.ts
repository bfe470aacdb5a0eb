/** Values for events of the data set. */
import { Choice } from '../../scripts/demo/random.ts';

const FREQUENT = { page_view: 0.4, signup: 0.02, activate: 0.012, purchase: 0.01 } as const;

/** 26 more types; the k-th is 1/k as frequent as the first. */
const OTHERS = [
  'click', 'scroll', 'search', 'login', 'logout', 'add_to_cart', 'view_item', 'share', 'comment', 'like', 'follow', 'upload', 'download',
  'invite', 'settings_change', 'upgrade', 'downgrade', 'cancel', 'error', 'video_play', 'video_end', 'form_submit', 'form_abandon',
  'notification_open', 'feature_used', 'export',
]; // prettier-ignore

const BROWSERS = [
  ['Chrome', 0.55], ['Safari', 0.2], ['Firefox', 0.09], ['Edge', 0.07], ['Samsung Internet', 0.04], ['Opera', 0.02], ['Brave', 0.015], ['Other', 0.015],
] as const; // prettier-ignore

const PLANS = [['free', 0.6], ['starter', 0.25], ['pro', 0.12], ['enterprise', 0.03]] as const; // prettier-ignore

const COUNTRIES =
  'US IN GB DE FR BR CA JP AU NL ES IT MX PL SE CH BE NO DK FI IE PT AT CZ GR HU RO TR ZA NG KE EG MA AE SA IL SG MY TH VN PH ID KR TW HK CN NZ AR CL CO PE EC UY VE UA RU BG HR RS SK'.split(
    ' ',
  );

const SECTIONS = [
  '/docs',
  '/blog',
  '/pricing',
  '/help',
  '/app/projects',
  '/app/reports',
  '/shop',
  '/account',
  '/news/docs-week',
  '/changelog',
];

export const PATH_COUNT = 5000;

/** The values of each, without their weights. */
export const VALUES = {
  event_type: [...Object.keys(FREQUENT), ...OTHERS],
  browser: BROWSERS.map(([name]) => name),
  plan: PLANS.map(([name]) => name),
} as const;

export const eventTypes = new Choice<string>(typeWeights());
export const browsers = new Choice<string>(BROWSERS);
export const plans = new Choice<string>(PLANS);
/** The first countries are many times as frequent as the last: the density of a cube. */
export const countries: readonly string[] = COUNTRIES;
/** Paths, busiest first. */
export const paths: readonly string[] = Array.from(
  { length: PATH_COUNT },
  (_, i) => `${SECTIONS[(i * 7) % SECTIONS.length]!}/page-${i}`,
);

function typeWeights(): [string, number][] {
  const rest = 1 - Object.values(FREQUENT).reduce((a, b) => a + b, 0);
  const harmonic = OTHERS.reduce((sum, _, i) => sum + 1 / (i + 1), 0);
  return [...Object.entries(FREQUENT), ...OTHERS.map((type, i): [string, number] => [type, rest / harmonic / (i + 1)])];
}
