/** Records what one person does, as events. */
import type { Client } from './clients.ts';
import type { DemoEvent } from './event.ts';
import type { Place } from './places.ts';
import { titleOf } from './pages.ts';
import type { Random } from './random.ts';

export type Properties = DemoEvent['event_properties'];

/** Who uses which device. `user` is null until they sign up, and on every visit without login. */
export interface Visitor {
  readonly device: string;
  readonly address: string;
  readonly client: Client;
  readonly place: Place;
  user: string | null;
}

/** One session, with a clock that advances with every event. */
export class Recorder {
  readonly #events: DemoEvent[];
  readonly #visitor: Visitor;
  readonly #random: Random;
  readonly #session: string;
  #clock: number;

  /** `start`: milliseconds since the epoch. Events are appended to `events`. */
  constructor(events: DemoEvent[], visitor: Visitor, options: { random: Random; start: number }) {
    this.#events = events;
    this.#visitor = visitor;
    this.#random = options.random;
    this.#clock = Math.floor(options.start);
    this.#session = `ses_${word(options.random)}`;
  }

  /** Time of the next event, milliseconds since the epoch. */
  get now(): number {
    return this.#clock;
  }

  /** Advances the clock, by `mean` milliseconds on average. */
  pause(mean: number): void {
    this.#clock += 400 + Math.floor(this.#random.exponential(mean));
  }

  track(type: string, properties: Properties = {}, profile?: Readonly<Record<string, string>>): void {
    const { user, device, address, client } = this.#visitor;
    this.#events.push({
      event_type: type,
      ...(user === null ? {} : { user_id: user }),
      device_id: device,
      session_id: this.#session,
      time: new Date(this.#clock).toISOString(),
      insert_id: `${word(this.#random)}${word(this.#random)}`,
      ip: address,
      user_agent: client.userAgent,
      event_properties: properties,
      ...(profile === undefined ? {} : { user_properties: profile }),
    });
  }

  /** A page view; slower on phones and in distant places. */
  page(url: string, referrer?: string): void {
    const { client, place } = this.#visitor;
    const distance = place.network === '203.0.113' ? 1 : 1.5;
    const load = Math.round((250 + this.#random.exponential(350)) * distance * (client.mobile ? 1.8 : 1));
    this.track('page_view', {
      url,
      title: titleOf(new URL(url).pathname),
      language: place.language,
      load_ms: load,
      ...(referrer === undefined ? {} : { referrer }),
    });
    this.pause(25_000);
  }
}

export function word(random: Random): string {
  return random.next().toString(16).padStart(8, '0');
}
