/** Finds a user's rows: those with the user id, and those without a user id from devices now bound to it. */
import { readBindings } from '../file/bindings.ts';
import type { Segment, Snapshot } from '../shard-reader.ts';
import type { StoredShardReader } from './stored-shard-reader.ts';

export interface UserIds {
  /** Code of the user id; 0 if the project does not know it. */
  readonly user: number;
  /** Codes of the devices bound to it. */
  readonly devices: ReadonlySet<number>;
}

export function userIds(reader: StoredShardReader, snapshot: Snapshot, userId: string): UserIds {
  const ids = reader.ids();
  const user = ids.find(userId);
  const devices = new Set<number>();
  if (user !== 0) {
    const bound = reader.read((connection) => readBindings(connection, snapshot.identityVersion));
    bound.codes.forEach((to, device) => {
      if (to === user) devices.add(device);
    });
  }
  return { user, devices };
}

/** The user's rows of a segment, ascending. */
export function rowsOfUser(segment: Segment, { user, devices }: UserIds): Uint32Array {
  const users = segment.column('user_id')?.codes;
  const deviceCodes = segment.column('device_id')?.codes;
  const rows: number[] = [];
  for (let row = 0; row < segment.rows; row++) {
    const code = users ? users[row]! : 0;
    if (code === user || (code === 0 && deviceCodes && devices.has(deviceCodes[row]!))) rows.push(row);
  }
  return Uint32Array.from(rows);
}
