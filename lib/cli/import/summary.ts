/** What an import brings, counted while it is read: to be held against what is stored. */
import { utcDay } from '../../base/day.ts';
import { jsonText } from './json-text.ts';

/** Users that are told apart, and names of events: what is beyond is not counted. */
const MOST_USERS = 2_000_000;
const MOST_NAMES = 1_000;

export interface Figures {
  readonly events: number;
  /** null: too many to count. */
  readonly users: number | null;
  /** Days in UTC; null: there are no events. */
  readonly first_day: string | null;
  readonly last_day: string | null;
}

export class Summary {
  readonly names = new Map<string, number>();
  /** Identifies. */
  profiles = 0;
  #events = 0;
  readonly #users = new Set<string>();
  #first = Infinity;
  #last = -Infinity;

  /** @param time Milliseconds since the epoch. */
  add({ event_type: type, user_id: user }: Readonly<Record<string, unknown>>, time: number): void {
    this.#events++;
    if (time < this.#first) this.#first = time;
    if (time > this.#last) this.#last = time;
    if (user !== undefined && user !== null && this.#users.size <= MOST_USERS) this.#users.add(jsonText(user));
    const name = jsonText(type);
    const count = this.names.get(name);
    if (count !== undefined || this.names.size < MOST_NAMES) this.names.set(name, (count ?? 0) + 1);
  }

  get figures(): Figures {
    const isEmpty = this.#events === 0;
    return {
      events: this.#events,
      users: this.#users.size > MOST_USERS ? null : this.#users.size,
      first_day: isEmpty ? null : utcDay(this.#first),
      last_day: isEmpty ? null : utcDay(this.#last),
    };
  }
}
