/** How visitors find the demo's product. */
import { Choice } from './random.ts';

export interface Channel {
  readonly name: string;
  readonly referrer?: string;
  /** Query of the landing page's URL, `utm_…`. */
  readonly query: string;
  readonly landing: readonly string[];
  /** How likely to sign up, compared with an average visitor. */
  readonly intent: number;
}

const ARTICLES = ['/blog/planning-without-meetings', '/blog/estimates-that-hold', '/blog/one-board-many-teams'];

const direct: Channel = { name: 'direct', query: '', landing: ['/', '/', '/pricing'], intent: 1.4 };
const search: Channel = {
  name: 'organic',
  referrer: 'https://www.google.com/',
  query: '',
  landing: ['/', '/features', ...ARTICLES],
  intent: 1,
};
const partner: Channel = {
  name: 'referral',
  referrer: 'https://tools.example/best-planners',
  query: '',
  landing: ['/features', '/pricing'],
  intent: 1.6,
};
const newsletter = campaign('newsletter', 'email', 'weekly-letter', { landing: ARTICLES, intent: 1.2 });
const ads = campaign('google', 'cpc', 'team-planning', {
  referrer: 'https://www.google.com/',
  landing: ['/', '/features'],
  intent: 0.6,
});
const social = campaign('linkedin', 'social', 'founder-posts', {
  referrer: 'https://www.linkedin.com/',
  landing: ARTICLES,
  intent: 0.5,
});

export const channels = new Choice<Channel>([
  [direct, 24],
  [search, 36],
  [partner, 8],
  [newsletter, 9],
  [ads, 15],
  [social, 8],
]);

/** A day on a product directory's front page: many visitors, few of them serious. */
export const launch = campaign('producthunt', 'referral', 'launch', {
  referrer: 'https://www.producthunt.com/',
  landing: ['/'],
  intent: 0.7,
});

function campaign(
  source: string,
  medium: string,
  name: string,
  rest: Pick<Channel, 'referrer' | 'landing' | 'intent'>,
): Channel {
  return { name: source, query: `?utm_source=${source}&utm_medium=${medium}&utm_campaign=${name}`, ...rest };
}
