/** `wl track --stdin --dry-run`: the first events as they would be sent, and what becomes of the fields of all of them. */
import { DAY_MS } from '../../base/day.ts';
import { isRecord, type JsonRecord } from '../../base/is-record.ts';
import { isNobody, NO_ID } from '../../base/no-id.ts';
import { readTime } from '../../base/read-time.ts';
import type { TableContent } from '../output/table.ts';
import { FIELDS } from './field-map.ts';

interface Counts {
  filled: number;
  lost: number;
  /** Why the first was lost. */
  why: string | null;
}

export class DryRun {
  readonly #print: (json: string) => void;
  readonly #fields = new Map<string, Counts>();
  #events = 0;
  #unlisted = 0;

  /** @param print Called with each of the first events. */
  constructor(print: (json: string) => void) {
    this.#print = print;
  }

  /** Takes events as they would be sent. */
  take(events: readonly unknown[]): void {
    for (const event of events) {
      if (this.#events++ < 10) this.#print(JSON.stringify(event));
      if (isRecord(event)) this.#count(event);
    }
  }

  /** A row for each field: in how many events it has a value, and in how many the server would not take that. */
  table(): TableContent {
    const names = ['field', 'filled', 'lost', 'why'];
    const rows = [...this.#fields].map(([field, { filled, lost, why }]) => [field, filled, lost, why]);
    const more = this.#unlisted === 0 ? [] : [`${this.#unlisted.toLocaleString('en')} values of further fields`];
    return {
      columns: names.map((name) => ({ name })),
      rows,
      footer: [`${this.#events.toLocaleString('en')} events; nothing was sent`, ...more],
    };
  }

  #count(event: JsonRecord): void {
    for (const [name, value] of Object.entries(event)) {
      if ((name === 'event_properties' || name === 'user_properties') && isRecord(value))
        for (const property of Object.keys(value)) this.#add(`${name}.${property}`, null);
      else if (value !== null) this.#add(name, whyLost(name, value));
    }
  }

  #add(field: string, why: string | null): void {
    let counts = this.#fields.get(field);
    if (counts === undefined) {
      // Fields that are listed, with properties.
      if (this.#fields.size === 200) {
        this.#unlisted++;
        return;
      }
      this.#fields.set(field, (counts = { filled: 0, lost: 0, why: null }));
    }
    if (why === null) counts.filled++;
    else {
      counts.lost++;
      counts.why ??= why;
    }
  }
}

/** Why the server would not take the value of a field; null if it does. */
function whyLost(name: string, value: unknown): string | null {
  if (!FIELDS.has(name)) return 'unknown field';
  if (name === 'event_properties' || name === 'user_properties') return 'no object';
  if (name === 'time') {
    const time = readTime(value);
    if (time === null) return `no time: ${JSON.stringify(value).slice(0, 64)}`;
    return time > Date.now() + DAY_MS ? `over 24 hours ahead: ${JSON.stringify(value).slice(0, 64)}` : null;
  }
  const isId = name.endsWith('_id') && (typeof value === 'string' || typeof value === 'number');
  return isId && (NO_ID.has(String(value)) || isNobody(name, String(value))) ? 'stands for no id' : null;
}
