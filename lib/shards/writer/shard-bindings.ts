/** The bindings of a shard's devices: those in its file, and those that wait to be sealed. */
import { threshold } from '../../base/threshold.ts';
import { textPlaceOf } from '../dictionary/shared-texts.ts';
import { bindingsOfDevice, deviceBindings, undoing, type DeviceBinding } from '../file/bindings.ts';
import { guarded, type Connection } from '../file/shard-file.ts';
import type { RequestScope } from '../ingest/request-scope.ts';
import type { ShardState } from '../ingest/shard-state.ts';
import type { DeviceBindings } from '../writer-messages.ts';

/** Longer logs of bindings are read in another thread. */
const LONG_LOG = threshold('bindings that others wait for', 16_384);

interface ShardBindingsOptions {
  readonly project: string;
  readonly state: ShardState;
  readonly connection: () => Connection;
  /** Whether the shard's file exists. */
  readonly isStored: () => boolean;
}

export class ShardBindings {
  readonly #options: ShardBindingsOptions;
  #fresh: DeviceBinding[] = [];
  /** What is being sealed, or could not be. */
  #frozen: readonly DeviceBinding[] = [];
  /** Stored bindings of a device, read by another thread. */
  #read: { readonly device: number; readonly version: number; readonly bindings: readonly DeviceBinding[] } | null =
    null;

  constructor(options: ShardBindingsOptions) {
    this.#options = options;
  }

  /** The number of bindings that the next seal will store, without what is being sealed. */
  get fresh(): number {
    return this.#fresh.length;
  }

  add(bindings: readonly DeviceBinding[]): void {
    this.#fresh.push(...bindings);
  }

  /** Takes the fresh ones for a seal. */
  freeze(): readonly DeviceBinding[] {
    this.#frozen = this.#fresh;
    this.#fresh = [];
    return this.#frozen;
  }

  /** What was taken is in the file. */
  sealed(): void {
    this.#frozen = [];
  }

  /** The bindings of a device, including unsealed ones; null if it never had one. */
  device(deviceId: string): DeviceBindings | null {
    const { state, connection } = this.#options;
    return deviceBindings(this.#of(deviceId), (user) => (user === 0 ? null : state.ids.text(connection, user)));
  }

  /** Undoes the last binding of a device by this request; false if it has none. Everything before must be committed. */
  undo(deviceId: string, scope: RequestScope): boolean {
    const undo = undoing(this.#of(deviceId), scope.context.receivedAt);
    if (undo) scope.bindings.push(undo);
    return undo !== null;
  }

  /** The device whose bindings another thread must read before they are used; 0 if the log is short or they were read. */
  deviceToRead(deviceId: string): number {
    if (this.#options.state.identityVersion <= LONG_LOG.value) return 0;
    const device = this.#find(deviceId);
    return this.#known(device) === null ? device : 0;
  }

  /** Stores what another thread read about a device. */
  take(device: number, bindings: readonly DeviceBinding[]): void {
    this.#read = { device, version: this.#options.state.identityVersion, bindings };
  }

  #find(deviceId: string): number {
    return this.#options.state.ids.find(this.#options.connection, textPlaceOf(deviceId));
  }

  #known(device: number): readonly DeviceBinding[] | null {
    const read = this.#read;
    return read?.device === device && read.version === this.#options.state.identityVersion ? read.bindings : null;
  }

  #of(deviceId: string): DeviceBinding[] {
    const device = this.#find(deviceId);
    if (device === 0) return [];
    const waiting = [...this.#frozen, ...this.#fresh].filter((binding) => binding.device === device);
    return [...(this.#known(device) ?? this.#stored(device)), ...waiting];
  }

  #stored(device: number): readonly DeviceBinding[] {
    const { project, connection, isStored } = this.#options;
    return isStored() ? guarded(project, () => bindingsOfDevice(connection(), device)) : [];
  }
}
