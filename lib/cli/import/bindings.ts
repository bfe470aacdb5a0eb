/** Bindings of devices that say again what the one before said: in some exports every event of a user brings one. */
import { utcDay } from '../../base/day.ts';
import { Lru } from '../../base/lru.ts';
import { readTime } from '../../base/read-time.ts';
import type { SourceRecord } from './format.ts';

/** Devices of which the last binding is remembered, some 30 MB of them; those of others are sent again. */
const DEVICES = 131_072;

export class Bindings {
  readonly #last = new Lru<unknown, string>(DEVICES);

  /**
   * Whether an identify says anything new. One that only binds does not where the binding before of its device, in the order of the
   * files, is of the same user and the same day: so a device that changes hands does so at the right moment, and files in another order
   * than that of time are wrong by less than a day.
   */
  isNew(identify: SourceRecord): boolean {
    const { user_id: user, device_id: device, time, ...changes } = identify;
    const at = readTime(time);
    if (device === undefined || at === null) return true;
    const binding = `${utcDay(at)} ${String(user)}`;
    const isSame = this.#last.get(device) === binding;
    this.#last.set(device, binding);
    return !isSame || Object.keys(changes).length > 0;
  }
}
