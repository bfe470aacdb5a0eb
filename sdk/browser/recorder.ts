/** Turns a call in a page into an item in the queue. */
import type { Properties } from './capture.ts';
import { capturePage } from './capture.ts';
import type { Identity } from './identity.ts';
import type { PageQueue } from './queue.ts';
import { joined } from './queue.ts';
import type { Store } from './store.ts';
import { touchOf } from './touch.ts';
import type { Before, ProfileOperations } from './windlass.ts';

export interface Recorder {
  /** @param previous the address of the view before */
  event(eventType: string, properties: Properties | undefined, time: number, previous: string | undefined): void;
  identify(userId: string, properties?: Properties, operations?: ProfileOperations): void;
}

export interface RecorderOptions {
  readonly queue: PageQueue;
  readonly store: Store;
  readonly identity: Identity;
  /** Name and version of the script. */
  readonly maker: string;
  readonly env: string | undefined;
  readonly hook: () => Before | undefined;
}

export function createRecorder({ queue, store, identity, maker, env, hook }: RecorderOptions): Recorder {
  return {
    event(event_type, properties, time, previous) {
      const shared = {
        device_id: identity.device(),
        user_id: identity.who(),
        session_id: identity.session(time),
        library: maker,
        event_properties: { ...capturePage(previous), env },
      };
      const own = { event_type, time, event_properties: properties };
      const change = hook();
      if (!change) return queue.add('track', JSON.stringify(shared), JSON.stringify(own));
      const event = joined(shared, own);
      const changed = change(event);
      if (changed !== false && changed !== null) queue.add('track', '{}', JSON.stringify(changed ?? event));
    },
    identify(user_id, properties, operations) {
      identity.setUser(user_id);
      const body = {
        user_id,
        device_id: identity.device(),
        user_properties: { ...touchOf(store, 'last'), ...properties },
        user_property_ops: { ...operations, $set_once: { ...touchOf(store, 'first'), ...operations?.$set_once } },
      };
      queue.add('identify', '', JSON.stringify(body));
    },
  };
}
