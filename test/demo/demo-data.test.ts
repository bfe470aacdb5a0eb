import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { DAY } from '../../scripts/demo/calendar.ts';
import { DEMO_DAYS, makeDemo, type DemoData } from '../../scripts/demo/demo-data.ts';
import type { DemoEvent } from '../../scripts/demo/event.ts';
import { CHOICE } from '../../scripts/demo/site-visit.ts';

const START = Date.UTC(2026, 9, 5); // a Monday
const END = START + DEMO_DAYS * DAY;

describe('the demo data', () => {
  let demo: DemoData;
  before(() => {
    demo = makeDemo(START, END);
  });

  const of = (type: string): DemoEvent[] => demo.events.filter(({ event_type }) => event_type === type);
  const dayOf = (event: DemoEvent): number => Math.floor((Date.parse(event.time) - START) / DAY);
  const persons = (events: readonly DemoEvent[]): Set<string> => {
    const owners = new Map(demo.identities.map(({ device_id, user_id }) => [device_id, user_id]));
    return new Set(events.map(({ user_id, device_id }) => user_id ?? owners.get(device_id) ?? device_id));
  };

  it('is the same for the same start day', () => {
    expect(isDeepStrictEqual(makeDemo(START, END), demo)).to.equal(true);
  });

  it('cut earlier is the beginning of the same events', () => {
    const noon = START + 20 * DAY + DAY / 2;
    const cut = makeDemo(START, noon).events;
    const begun = demo.events.filter(({ time }) => Date.parse(time) < noon);
    expect(isDeepStrictEqual(cut, begun)).to.equal(true);
  });

  it('differs for another start day, and not in size', () => {
    const other = makeDemo(START + DAY, END + DAY);
    expect(other.events[0]).to.not.deep.equal(demo.events[0]);
    expect(other.events.length).to.be.within(demo.events.length * 0.85, demo.events.length * 1.15);
  });

  it('is 50,000 to 150,000 events in order of time, all inside the range, each with its own insert_id', () => {
    expect(demo.events.length).to.be.within(50_000, 150_000);
    const times = demo.events.map(({ time }) => Date.parse(time));
    expect(times.every((time, i) => time >= START && time < END && time >= (times[i - 1] ?? 0))).to.equal(true);
    expect(new Set(demo.events.map(({ insert_id }) => insert_id)).size).to.equal(demo.events.length);
  });

  it('of more days has the launch and the test at the same distance from its end, and grows until then', () => {
    const longer = makeDemo(START - 21 * DAY, END, DEMO_DAYS + 21);
    const perDay = (data: DemoData, from: number, to: number): number =>
      data.events.filter(({ time }) => Date.parse(time) >= from && Date.parse(time) < to).length / ((to - from) / DAY);
    expect(Date.parse(longer.events[0]!.time)).to.be.below(START - 20 * DAY);
    expect(perDay(longer, START - 21 * DAY, START)).to.be.below(perDay(longer, END - 21 * DAY, END));
    const exposed = longer.events.filter(({ event_properties: sent }) => sent['choice_key'] === CHOICE);
    expect(exposed.length).to.be.above(0);
    expect(Math.min(...exposed.map(({ time }) => Date.parse(time)))).to.be.within(START + 13 * DAY, START + 16 * DAY);
    const launch = START + 23 * DAY;
    expect(perDay(longer, launch, launch + DAY)).to.be.above(1.5 * perDay(longer, launch - DAY, launch));
  });

  it('is busier on workdays than on weekends', () => {
    const perDay = new Array<number>(DEMO_DAYS).fill(0);
    for (const event of demo.events) perDay[dayOf(event)]! += 1;
    for (let week = 0; week < DEMO_DAYS / 7; week++) {
      const days = perDay.slice(week * 7, week * 7 + 7);
      expect(Math.max(days[5]!, days[6]!), `weekend of week ${week}`).to.be.below(Math.min(...days.slice(0, 5)));
    }
  });

  it('leaks at every step of signup, activate, purchase', () => {
    const [signups, activated, paid] = ['signup', 'activate', 'purchase'].map((type) => persons(of(type)).size);
    expect(activated! / signups!).to.be.within(0.4, 0.75);
    expect(paid! / activated!).to.be.within(0.05, 0.35);
  });

  it('has users who were anonymous devices before they signed up', () => {
    const devices = new Set(
      demo.events.filter(({ user_id }) => user_id === undefined).map(({ device_id }) => device_id),
    );
    const bound = demo.identities.filter(({ device_id }) => devices.has(device_id)).length;
    expect(bound).to.be.above(of('signup').length * 0.9);
  });

  it('loses most of a cohort, and keeps some', () => {
    const early = persons(of('signup').filter((event) => dayOf(event) < 14));
    const activeIn = (from: number, to: number): number => {
      const active = persons(
        demo.events.filter((event) => event.user_id !== undefined && dayOf(event) >= from && dayOf(event) < to),
      );
      return [...early].filter((user) => active.has(user)).length / early.size;
    };
    expect(activeIn(14, 28)).to.be.within(0.2, 0.7);
    expect(activeIn(28, 42)).to.be.within(0.05, activeIn(14, 28));
  });

  it('has a test on the pricing page, one variant a device, that the new variant wins', () => {
    const variants = new Map<string, Set<string>>();
    for (const { device_id, event_properties } of of('choice.exposure')) {
      expect(event_properties['choice_key']).to.equal(CHOICE);
      variants.set(device_id, (variants.get(device_id) ?? new Set()).add(String(event_properties['variant_key'])));
    }
    expect([...variants.values()].every(({ size }) => size === 1)).to.equal(true);
    const signedUp = new Set(of('signup').map(({ device_id }) => device_id));
    const rate = (variant: string): number => {
      const seen = [...variants].filter(([, shown]) => shown.has(variant)).map(([device]) => device);
      return seen.filter((device) => signedUp.has(device)).length / seen.length;
    };
    expect(rate('annual_first')).to.be.above(rate('control'));
  });

  it('has an incident: errors of one browser after one release', () => {
    const errors = of('error');
    const broken = errors.filter(({ event_properties }) => String(event_properties['message']).startsWith('TypeError'));
    expect(broken.length).to.be.above(5);
    expect(new Set(broken.map(({ event_properties }) => event_properties['release'])).size).to.equal(1);
    expect(broken.every(({ user_agent }) => user_agent.includes('Safari/60'))).to.equal(true);
    expect(broken.length).to.be.below(errors.length);
  });

  it('comes from many countries, on desktops and phones, through campaigns', () => {
    expect(new Set(demo.identities.map(({ user_properties }) => user_properties['country'])).size).to.be.above(7);
    const phones = demo.events.filter(({ user_agent }) => user_agent.includes('Mobile')).length / demo.events.length;
    expect(phones).to.be.within(0.1, 0.4);
    const campaigns = new Set(
      of('page_view').map(({ event_properties }) => /utm_campaign=([\w-]+)/.exec(String(event_properties['url']))?.[1]),
    );
    expect([...campaigns]).to.include.members(['weekly-letter', 'team-planning', 'founder-posts', 'launch', undefined]);
  });

  it('keeps the plan of a profile by the purchases that change it', () => {
    expect(
      of('purchase').every((event) => event.user_properties?.['plan'] === event.event_properties['plan']),
    ).to.equal(true);
    const bought = persons(of('purchase'));
    expect(
      demo.identities
        .filter(({ user_id }) => bought.has(user_id))
        .every(({ user_properties }) => user_properties['plan'] === 'free'),
    ).to.equal(true);
  });
});
