/** `wl` as pages see it. */
import type { Variants } from '../core/choose.ts';
import type { Properties } from './capture.ts';
import type { Store } from './store.ts';

export interface WindlassEvent {
  event_type: string;
  /** Milliseconds since the epoch. */
  time: number;
  event_properties: Properties;
  user_id?: string | undefined;
  device_id?: string | undefined;
  session_id?: string | undefined;
  [field: string]: unknown;
}

/** Operations on a profile, as POST /identify takes them. */
export interface ProfileOperations {
  readonly $set?: Properties;
  readonly $set_once?: Properties;
  readonly $add?: Readonly<Record<string, number>>;
  readonly $unset?: readonly string[];
}

/** The ids that events get now. */
export interface Ids {
  readonly device_id?: string | undefined;
  readonly user_id?: string | undefined;
  readonly session_id?: string | undefined;
}

/** May change an event before it is kept, or drop it with `false` or `null`. If it throws, the event is dropped. */
export type Before = (event: WindlassEvent) => WindlassEvent | false | null | undefined | void;

/** None of this throws or blocks. */
export interface Windlass {
  track(eventType: string, properties?: Properties): void;
  /** Says who is here: binds the device to the user, and changes the profile. */
  identify(userId: string, properties?: Properties, operations?: ProfileOperations): void;
  /** Somebody else is here: sends what is queued, and starts over with a new device. */
  reset(): void;
  optIn(): void;
  /** Deletes everything stored, and stops collecting. */
  optOut(): void;
  /** Sends what is queued. Resolves when the server has it, or when it has to wait. */
  flush(): Promise<void>;
  /** For passing to a server, whose events are then about the same person. */
  ids(): Ids;
  /** Runs commands: `['track', 'signup', {plan: 'pro'}]`, or functions. */
  push(...commands: readonly Command[]): void;
  before?: Before | undefined;
  /** From `wl.choice.js`: the variant for this device, always the same. Sends an exposure once per session. */
  choice?(key: string, variants: Variants): string | undefined;
  /** For `wl.choice.js`, once the page is visited. */
  inner?: { readonly store: Store; readonly seed: string | undefined };
}

export type Command = (() => void) | ArrayLike<unknown>;
