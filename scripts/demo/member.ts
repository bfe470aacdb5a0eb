/** What becomes of an account: set-up, habit, payment, and often silence. */
import { busyness, DAY, momentOf } from './calendar.ts';
import { type AppSessionOptions, type Plan, useApp } from './app-session.ts';
import type { DemoEvent } from './event.ts';
import { APP } from './pages.ts';
import { Choice, type Random } from './random.ts';
import { Recorder, type Visitor } from './recorder.ts';

const FIRST_TUESDAY = Date.UTC(2024, 0, 2);
const CYCLE_DAYS = 14;
const BROKEN_DAYS = 2; // after every third release

/**
 * The release of the demo's product in use at a time (milliseconds since the epoch): one every other Tuesday, some of which broke
 * something for two days.
 */
function releaseOn(time: number): Pick<AppSessionOptions, 'release' | 'broken'> {
  const cycle = Math.floor((time - FIRST_TUESDAY) / (CYCLE_DAYS * DAY));
  const age = (time - FIRST_TUESDAY) / DAY - cycle * CYCLE_DAYS;
  return { release: `4.${cycle}.0`, broken: cycle % 3 === 0 && age < BROKEN_DAYS };
}

export interface Member {
  readonly visitor: Visitor;
  readonly board: number;
  /** Chance of a session on an ordinary workday while the habit is fresh. */
  readonly habit: number;
  plan: Plan;
}

/** Days of the life, as UTC midnights: [from, to). */
interface Days {
  readonly from: number;
  readonly to: number;
}

const PRICES: Readonly<Record<Exclude<Plan, 'free'>, number>> = { starter: 19, team: 49, business: 129 };
const plans = new Choice<Exclude<Plan, 'free'>>([['starter', 50], ['team', 38], ['business', 12]]); // prettier-ignore

const ACTIVATES = 0.6;
const ACTIVATES_AT_ONCE = 0.65; // of those; the others do on one of the next three days
const PAYS = 0.45; // of those who activated and are still there after the trial
const TRIAL_DAYS = 14;
const MONTH_DAYS = 30;
const LASTING_HABIT = 0.35; // of the first days' habit
const HABIT_DAYS = 6; // until the novelty has worn off
const LOST_DAYS = 2.5; // the same for those who never set up a board
const STAYS_DAYS = { free: 20, paid: 140 }; // mean time until someone stops for good

/** The life of an account created in a running session. */
export function liveOn(
  events: DemoEvent[],
  member: Member,
  session: Recorder,
  options: { random: Random; days: Days },
): void {
  const { random, days } = options;
  const activates = random.unit() < ACTIVATES;
  let activationDay = activates ? days.from : Infinity;
  if (activates && random.unit() < ACTIVATES_AT_ONCE) setUp(session, member, random);
  else if (activates) activationDay = days.from + (1 + random.below(3)) * DAY;
  const leaves = days.from + random.exponential(STAYS_DAYS.free) * DAY;
  const paysOn = activates && random.unit() < PAYS ? days.from + (3 + random.below(TRIAL_DAYS - 3)) * DAY : Infinity;
  for (let day = days.from + DAY; day < days.to; day += DAY) {
    if (day > leaves && member.plan === 'free') return;
    const age = (day - days.from) / DAY;
    const wear = activates
      ? LASTING_HABIT + (1 - LASTING_HABIT) * Math.exp(-age / HABIT_DAYS)
      : Math.exp(-age / LOST_DAYS);
    if (day === activationDay) setUp(startSession(events, member, day, random), member, random);
    if (day === paysOn) pay(startSession(events, member, day, random), member, { plan: plans.draw(random), random });
    else workday(events, member, day, { random, chance: member.habit * wear });
    if (day > paysOn && (day - paysOn) % (MONTH_DAYS * DAY) === 0)
      renew(startSession(events, member, day, random), member);
  }
}

/** The life of an account from before the demo's days; most of these pay. */
export function carryOn(events: DemoEvent[], member: Member, options: { random: Random; days: Days }): void {
  const { random, days } = options;
  const stays = member.plan === 'free' ? STAYS_DAYS.free * 2 : STAYS_DAYS.paid;
  const leaves = days.from + random.exponential(stays) * DAY;
  const renewal = random.below(MONTH_DAYS);
  for (let day = days.from; day < days.to && day < leaves; day += DAY) {
    workday(events, member, day, { random, chance: member.habit * LASTING_HABIT * 1.6 });
    if (member.plan !== 'free' && ((day - days.from) / DAY) % MONTH_DAYS === renewal)
      renew(startSession(events, member, day, random), member);
  }
  if (leaves < days.to && member.plan !== 'free') {
    const last = startSession(events, member, Math.floor(leaves / DAY) * DAY, random);
    last.page(`${APP}/settings/billing`);
    last.track('subscription_cancelled', {
      plan: member.plan,
      reason: random.unit() < 0.5 ? 'too_expensive' : 'not_used',
    });
  }
}

function workday(
  events: DemoEvent[],
  member: Member,
  day: number,
  { random, chance }: { random: Random; chance: number },
): void {
  const today = chance * busyness('app', day);
  for (let sessions = 0; sessions < 3 && random.unit() < today; sessions++) {
    const session = startSession(events, member, day, random);
    useApp(session, sessionOptions(member, session.now, random));
  }
}

function sessionOptions({ visitor, plan, board }: Member, now: number, random: Random): AppSessionOptions {
  return { random, client: visitor.client, plan, board, ...releaseOn(now) };
}

function startSession(events: DemoEvent[], member: Member, day: number, random: Random): Recorder {
  return new Recorder(events, member.visitor, { random, start: momentOf('app', day, member.visitor.place, random) });
}

/** First board with first tasks: what makes an account stay. */
function setUp(session: Recorder, member: Member, random: Random): void {
  session.page(`${APP}/boards/new`);
  session.track('board_created', { template: random.unit() < 0.6 ? 'sprint' : 'blank' });
  session.pause(40_000);
  if (random.unit() < 0.45) session.track('member_invited', { plan: member.plan });
  session.track('activate', { board: member.board });
  session.pause(20_000);
  useApp(session, sessionOptions(member, session.now, random));
}

function pay(
  session: Recorder,
  member: Member,
  { plan, random }: { plan: Exclude<Plan, 'free'>; random: Random },
): void {
  session.page(`${APP}/settings/billing`);
  session.track('checkout_started', { plan });
  session.pause(50_000);
  if (random.unit() < 0.22) return; // leaves at the card form
  const yearly = random.unit() < 0.3;
  member.plan = plan;
  const amount = yearly ? PRICES[plan] * 10 : PRICES[plan];
  session.track('purchase', { amount, currency: 'USD', plan, interval: yearly ? 'year' : 'month' }, { plan });
}

/** Charged by the server, without a visit. */
function renew(session: Recorder, member: Member): void {
  if (member.plan === 'free') return;
  session.track('renewal', { amount: PRICES[member.plan], currency: 'USD', plan: member.plan, interval: 'month' });
}
