/** Two services, one with its events in its data folder, one with them in ClickHouse: both take the same, and are asked the same. */
import type { EventStore } from '../../../lib/store/event-store.ts';
import { openEmbeddedStore } from '../../../lib/store/open-embedded-store.ts';
import type { QueryContext, World } from '../../oracle/world.ts';
import { clickHouseOpener } from '../../support/clickhouse-opener.ts';
import { startOnStore, type TestService } from '../../support/service.ts';
import { PLAIN, StoreSubject } from '../../support/store-subject.ts';

/** What is asked besides the query. */
export interface Asking {
  readonly format: 'llm' | 'json' | 'csv';
  readonly explain?: boolean;
}

/** An answer, without what differs from one run to the next. */
export interface Said {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | null>>;
  readonly body: string;
}

interface Side {
  readonly subject: StoreSubject;
  readonly host: TestService;
  /** With the project that has the world. */
  service: TestService;
}

/** No limit of requests a minute: the clock jumps. */
const SETTINGS = { WINDLASS_QUERIES_PER_MINUTE: '0', WINDLASS_EVENTS_PER_MINUTE: '0' };

export class TwoServices {
  readonly #sides: readonly [Side, Side];

  private constructor(sides: readonly [Side, Side]) {
    this.#sides = sides;
  }

  static async open(): Promise<TwoServices> {
    const open = async (subject: StoreSubject): Promise<Side> => {
      const host = await startOnStore(withoutClose(await subject.store), SETTINGS);
      return { subject, host, service: host };
    };
    return new TwoServices([
      await open(new StoreSubject(PLAIN, openEmbeddedStore)),
      await open(new StoreSubject(PLAIN, clickHouseOpener())),
    ]);
  }

  /** Sends a world to new projects. */
  async load(world: World): Promise<void> {
    for (const side of this.#sides) {
      side.service = await side.host.another();
      side.subject.project = side.service.keys.project.id;
      for (const request of world) await side.subject.send(request);
    }
  }

  /** POST /query at a moment: first what the embedded store leads to, then ClickHouse. */
  async ask(q: string, context: QueryContext, asking: Asking): Promise<readonly [Said, Said]> {
    const { now, timezone, limit, offset } = context;
    const body = { q, timezone, limit, offset, envelope: true, ...asking };
    const [here, there] = this.#sides;
    return [await at(now, () => said(here.service, body)), await at(now, () => said(there.service, body))];
  }

  async close(): Promise<void> {
    for (const { subject, host } of this.#sides) {
      await host.stop();
      await subject.close();
    }
  }
}

async function said(service: TestService, body: { readonly explain?: boolean }): Promise<Said> {
  const response = await service.post('/query', body);
  const { status } = response;
  const names = ['content-type', 'x-total-count', 'x-rows-scanned'];
  const headers = Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));
  const text = await response.text();
  return { status, headers, body: plain(response.ok && body.explain === true ? explained(text) : text) };
}

/** What an explanation says of the question; how it was answered differs. */
function explained(text: string): string {
  const { parts: _parts, statements: _statements, times: _times, ...question } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify(question);
} // prettier-ignore

/** Without the time that it took and which engine it was, and without ids that stores make. */
function plain(text: string): string {
  return text
    .replace(/, \d+ ms$/m, ', … ms')
    .replace(/"elapsed_ms":\d+,"mode":"\w+"/, '"elapsed_ms":…')
    .replaceAll(/evt_[0-9a-f]{16}/g, 'evt_…');
}

/** Runs something while the clock stands. */
async function at<T>(now: number, run: () => Promise<T>): Promise<T> {
  const clock = Date.now;
  Date.now = () => now;
  try {
    return await run();
  } finally {
    Date.now = clock;
  }
}

/** A store that its service leaves open. */
function withoutClose(store: EventStore): EventStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'close') return () => Promise.resolve();
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as (...args: readonly unknown[]) => unknown).bind(target) : value;
    },
  });
}
