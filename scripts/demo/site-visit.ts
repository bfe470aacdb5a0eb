/** A visit to the product's site: from a landing page along links, perhaps to a new account. */
import { launch, type Channel } from './channels.ts';
import { LINKS, SITE } from './pages.ts';
import { Choice, type Random } from './random.ts';
import type { Recorder } from './recorder.ts';

export const CHOICE = 'pricing_page';
export type Variant = 'control' | 'annual_first';

export interface VisitOptions {
  readonly random: Random;
  readonly channel: Channel;
  /** Variant in the test on the pricing page; null while it does not run. */
  readonly variant: Variant | null;
}

const LEAVES = 0.34; // chance of leaving after each page
const LEAVES_LAUNCH = 0.55;
const MOST_PAGES = 12;
const WANTS_ACCOUNT = 0.17; // on the pricing page
const WANTS_ACCOUNT_ELSEWHERE = 0.012;
const BETTER_VARIANT = 1.35; // annual_first brings more accounts
const FILLS_FORM = 0.68;

const links = new Map(Object.entries(LINKS).map(([path, weights]) => [path, new Choice(weights)]));

/** Records the visit; true if it ends with a completed sign-up form. */
export function visitSite(recorder: Recorder, options: VisitOptions): boolean {
  const { random, channel } = options;
  let path = channel.landing[random.below(channel.landing.length)]!;
  recorder.page(`${SITE}${path}${channel.query}`, channel.referrer);
  for (let page = 1; page < MOST_PAGES; page++) {
    if (path === '/pricing' && options.variant !== null) {
      recorder.track('choice.exposure', { choice_key: CHOICE, variant_key: options.variant });
    }
    if (wantsAccount(path, options)) return fillForm(recorder, path, random);
    if (random.unit() < (channel === launch ? LEAVES_LAUNCH : LEAVES)) return false;
    path = links.get(path)?.draw(random) ?? '/';
    recorder.page(`${SITE}${path}`);
  }
  return false;
}

function wantsAccount(path: string, { random, channel, variant }: VisitOptions): boolean {
  const chance =
    path === '/pricing' ? WANTS_ACCOUNT * (variant === 'annual_first' ? BETTER_VARIANT : 1) : WANTS_ACCOUNT_ELSEWHERE;
  return random.unit() < chance * channel.intent;
}

function fillForm(recorder: Recorder, path: string, random: Random): boolean {
  recorder.track('cta_clicked', { button: 'start_free', path });
  recorder.pause(2_000);
  recorder.page(`${SITE}/signup`);
  if (random.unit() < FILLS_FORM) return true;
  if (random.unit() < 0.4)
    recorder.track('form_abandoned', { form: 'signup', field: random.unit() < 0.6 ? 'company' : 'email' });
  return false;
}
