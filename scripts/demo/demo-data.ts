/**
 * Some weeks of a small product: Tandem, a planner for teams. Visitors come through channels; some sign up, set up a board, form
 * a habit, pay or fall silent; earlier customers continue; a test runs on the pricing page; a release breaks reports. The same
 * start day gives the same events.
 */
import type { DemoEvent, DemoIdentity } from './event.ts';
import { Choice, Random } from './random.ts';
import { Recorder, type Visitor, word } from './recorder.ts';
import { busyness, DAY, momentOf } from './calendar.ts';
import { type Channel, channels, launch } from './channels.ts';
import { desktops, phones } from './clients.ts';
import { carryOn, liveOn, type Member } from './member.ts';
import { places } from './places.ts';
import { type Variant, visitSite } from './site-visit.ts';
import type { Plan } from './app-session.ts';

const FIRST = 'Ada Ben Carla Deniz Elif Femi Grace Hugo Ines Jonas Kofi Lena Mateo Nadia Omar Petra Quentin Rosa Sven Tara Uma Viktor Wanda Yusuf Zoe'.split(' '); // prettier-ignore
const LAST = 'Almeida Brandt Castro Dubois Eriksen Fischer Garcia Haddad Ivanov Jensen Kaya Lambert Meyer Novak Okafor Patel Rossi Silva Tanaka Weber'.split(' '); // prettier-ignore
const COMPANY_HEAD = 'north river bright stone green blue swift amber cedar lumen harbor atlas'.split(' ');
const COMPANY_TAIL = 'works labs foods travel media health bank games energy logistics studio retail'.split(' ');

const PRIVATE_MAIL = 0.18; // share of users without a company
const sizes = new Choice([['1-10', 5], ['11-50', 6], ['51-200', 3], ['201-1000', 1]]); // prettier-ignore

/** An account for a visitor, whose device becomes the user's. */
function makeAccount(visitor: Visitor & { readonly user: string }, channel: string, random: Random): DemoIdentity {
  const first = pick(FIRST, random);
  const last = pick(LAST, random);
  // Squaring gives some companies many users.
  const company = Math.floor(COMPANY_HEAD.length * COMPANY_TAIL.length * random.unit() ** 2);
  const name = `${COMPANY_HEAD[company % COMPANY_HEAD.length]!}-${COMPANY_TAIL[Math.floor(company / COMPANY_HEAD.length)]!}`;
  const employed = random.unit() >= PRIVATE_MAIL;
  const domain = employed ? `${name}.example` : 'mailbox.example';
  return {
    user_id: visitor.user,
    device_id: visitor.device,
    user_properties: {
      name: `${first} ${last}`,
      email: `${first}.${last}${random.below(90) + 10}@${domain}`.toLowerCase(),
      country: visitor.place.country,
      plan: 'free',
      channel,
      ...(employed ? { company_id: name, company_size: sizes.draw(random) } : {}),
    },
  };
}

function pick(list: readonly string[], random: Random): string {
  return list[random.below(list.length)]!;
}

/** Days of which docs/ tells. */
export const DEMO_DAYS = 42;

export interface DemoData {
  /** Ordered by time. */
  readonly events: readonly DemoEvent[];
  readonly identities: readonly DemoIdentity[];
}

const CUSTOMERS = 210; // with an account from before the first day
const VISITORS = 95; // new ones on an ordinary workday at the start
const GROWTH = 0.012; // per day
// Of the last DEMO_DAYS days:
const LAUNCH_DAY = 23;
const LAUNCH_VISITORS = 700;
const TEST_DAY = 14; // the test on the pricing page starts
const COMES_BACK = 0.3;
const MOST_VISITS = 4;
const PHONES_ON_SITE = 0.42;
const PHONES_IN_APP = 0.12;

const plansOfCustomers = new Choice<Plan>([['free', 35], ['starter', 30], ['team', 25], ['business', 10]]); // prettier-ignore

/**
 * The events of some days from `start` (UTC midnight, milliseconds since the epoch), up to `until` (excluded). `days` is at least
 * DEMO_DAYS, of which the last see the launch and the test.
 */
export function makeDemo(start: number, until: number, days = DEMO_DAYS): DemoData {
  const world = new World(start, days);
  for (let i = 0; i < CUSTOMERS; i++) world.customer();
  for (let d = 0; d < days; d++) world.newVisitors(d);
  const events = world.events
    .map((event) => ({ event, at: Date.parse(event.time) }))
    .filter(({ at }) => at >= start && at < until)
    .sort((a, b) => a.at - b.at)
    .map(({ event }) => event);
  const known = new Set(events.map(({ user_id }) => user_id));
  return { events, identities: world.identities.filter(({ user_id }) => known.has(user_id)) };
}

class World {
  readonly events: DemoEvent[] = [];
  readonly identities: DemoIdentity[] = [];
  readonly #start: number;
  readonly #days: number;
  #people = 0;

  constructor(start: number, days: number) {
    this.#start = start;
    this.#days = days;
  }

  get #end(): number {
    return this.#start + this.#days * DAY;
  }

  /** A day as one of the last DEMO_DAYS; negative before them. */
  #late(index: number): number {
    return index - (this.#days - DEMO_DAYS);
  }

  customer(): void {
    const random = this.#nextPerson();
    const visitor = this.#visitor(random, PHONES_IN_APP);
    const identity = makeAccount(signIn(visitor, this.#people), channels.draw(random).name, random);
    const member = makeMember(visitor, plansOfCustomers.draw(random), random);
    this.identities.push({ ...identity, user_properties: { ...identity.user_properties, plan: member.plan } });
    carryOn(this.events, member, { random, days: { from: this.#start, to: this.#end } });
  }

  /** The visitors who first come on a day (counted from 0). */
  newVisitors(index: number): void {
    const day = this.#start + index * DAY;
    const ordinary = VISITORS * busyness('site', day) * (1 + GROWTH * this.#late(index));
    const jitter = 0.92 + 0.16 * new Random(this.#start / DAY, `day ${index}`).unit();
    for (let i = 0; i < ordinary * jitter; i++) this.#newVisitor(index, null);
    const excitement = LAUNCH_VISITORS * 0.35 ** (this.#late(index) - LAUNCH_DAY); // wears off in three days
    if (this.#late(index) >= LAUNCH_DAY && this.#late(index) < LAUNCH_DAY + 3)
      for (let i = 0; i < excitement; i++) this.#newVisitor(index, launch);
  }

  #newVisitor(index: number, through: Channel | null): void {
    const random = this.#nextPerson();
    const visitor = this.#visitor(random, PHONES_ON_SITE);
    let channel = through ?? channels.draw(random);
    const cameBy = channel.name;
    const side: Variant = random.unit() < 0.5 ? 'control' : 'annual_first';
    let of = index;
    for (let visit = 0; visit < MOST_VISITS && of < this.#days; visit++) {
      const day = this.#start + of * DAY;
      const session = new Recorder(this.events, visitor, {
        random,
        start: momentOf('site', day, visitor.place, random),
      });
      if (visitSite(session, { random, channel, variant: this.#late(of) >= TEST_DAY ? side : null })) {
        this.#signUp(session, visitor, { random, cameBy, day });
        return;
      }
      if (random.unit() >= COMES_BACK) return;
      channel = { ...channel, query: '', name: 'direct', intent: channel.intent * 1.8 };
      of += 1 + Math.floor(random.exponential(3));
    }
  }

  #signUp(session: Recorder, visitor: Visitor, options: { random: Random; cameBy: string; day: number }): void {
    const { random, cameBy, day } = options;
    this.identities.push(makeAccount(signIn(visitor, this.#people), cameBy, random));
    const draw = random.unit();
    session.track('signup', { method: draw < 0.5 ? 'google' : draw < 0.85 ? 'email' : 'github', channel: cameBy });
    session.pause(15_000);
    liveOn(this.events, makeMember(visitor, 'free', random), session, { random, days: { from: day, to: this.#end } });
  }

  /** Each person draws separately: one who does more does not change what others do. */
  #nextPerson(): Random {
    return new Random(this.#start / DAY, `person ${this.#people++}`);
  }

  #visitor(random: Random, phoneShare: number): Visitor {
    const place = places.draw(random);
    const client = (random.unit() < phoneShare ? phones : desktops).draw(random);
    return {
      device: `dev_${word(random)}`,
      address: `${place.network}.${1 + random.below(254)}`,
      client,
      place,
      user: null,
    };
  }
}

function signIn(visitor: Visitor, number: number): Visitor & { readonly user: string } {
  const user = `usr_${String(number).padStart(5, '0')}`;
  visitor.user = user;
  return { ...visitor, user };
}

function makeMember(visitor: Visitor, plan: Plan, random: Random): Member {
  return { visitor, plan, board: 1000 + random.below(9000), habit: 0.35 + 0.6 * random.unit() };
}
