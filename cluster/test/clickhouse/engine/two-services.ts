/** Two services, one with its events in its data folder, one with them in ClickHouse: both take the same, and are asked the same. */
import type { EventStore } from '../../../../lib/store/event-store.ts';
import { openEmbeddedStore } from '../../../../lib/store/open-embedded-store.ts';
import type { QueryContext, World } from '../../../../test/oracle/world.ts';
import { askAt, saveCohorts, type Asking, type Said } from '../../../../test/support/asked-answer.ts';
import { clickHouseOpener } from '../../support/clickhouse-opener.ts';
import { startOnStore, type TestService } from '../../../../test/support/service.ts';
import { PLAIN, StoreSubject } from '../../../../test/support/store-subject.ts';

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
    const [here, there] = this.#sides.map(({ service }) => ({ url: service.url, key: service.keys.secretKey }));
    const question = { q, context, asking };
    for (const side of [here!, there!]) await saveCohorts(side, context);
    return [withoutMadeIds(await askAt(here!, question)), withoutMadeIds(await askAt(there!, question))];
  }

  async close(): Promise<void> {
    for (const { subject, host } of this.#sides) {
      await host.stop();
      await subject.close();
    }
  }
}

/** Stores make the ids of events that have none. */
const withoutMadeIds = (said: Said): Said => ({ ...said, body: said.body.replaceAll(/evt_[0-9a-f]{16}/g, 'evt_…') });

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
