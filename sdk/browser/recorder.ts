/** Turns a call in a page into an item in the queue. */
import { uuidv7 } from '../core/uuid.ts';
import type { Place, Properties } from './capture.ts';
import { capturePage } from './capture.ts';
import type { Identity } from './identity.ts';
import type { PageQueue } from './queue.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store.ts';
import type { Surroundings } from './surroundings.ts';
import { touchOf } from './touch.ts';
import type { ProfileOperations } from './windlass.ts';

export interface Recorder {
  event(eventType: string, properties: Properties | undefined, time: number, place: Place): void;
  identify(userId: string, properties?: Properties, operations?: ProfileOperations): void;
}

/** Where the recorder puts things, and what it asks. */
export interface Places {
  readonly queue: PageQueue;
  readonly store: Store;
  readonly identity: Identity;
}

/** `[object Array]`, Boolean, Number, Null, Object, String, and Undefined, by which pages leave properties out. */
const IS_JSON = /t [ABNOU]|Str/;

export function createRecorder(
  { queue, store, identity }: Places,
  { env }: Settings,
  { maker, hook, tell }: Surroundings,
): Recorder {
  /** As JSON; tells of what is no JSON and becomes `{}`, null or nothing in it. Throws for cycles and BigInts. */
  const textOf = (value: unknown): string =>
    JSON.stringify(value, (name, member: unknown) => {
      if (!IS_JSON.test({}.toString.call(member)) || (typeof member === 'number' && !isFinite(member)))
        tell('not JSON, left out:', name);
      return member;
    });
  /** What is no object has no members, though a text could be spread into its letters. */
  const members = <T extends object>(given: T | undefined): T | undefined => {
    if (given === undefined || (typeof given === 'object' && !Array.isArray(given))) return given;
    tell('not an object, left out:', given);
    return undefined;
  };
  return {
    event(event_type, properties, time, place) {
      const event = {
        device_id: identity.device(),
        user_id: identity.who(),
        session_id: identity.session(time),
        library: maker,
        event_type,
        time,
        event_properties: { ...capturePage(place), env, ...members(properties) },
      };
      const changed = hook()?.(event);
      const id = uuidv7();
      if (changed !== false && changed !== null)
        queue.add('track', textOf({ ...(changed ?? event), insert_id: id }), id);
    },
    identify(user_id, properties, operations) {
      identity.setUser(user_id);
      const body = {
        user_id,
        device_id: identity.device(),
        user_properties: { ...touchOf(store, 'last'), ...members(properties) },
        user_property_ops: {
          ...members(operations),
          $set_once: { ...touchOf(store, 'first'), ...operations?.$set_once },
        },
      };
      queue.add('identify', textOf(body), uuidv7());
    },
  };
}
