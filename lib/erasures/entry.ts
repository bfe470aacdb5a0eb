/**
 * One line of an erasure log: a checksum (CRC-32, 8 hexadecimal digits), a space, and JSON. It names nobody: users, devices and
 * projects stand in it as keyed hashes, and the key is made of the service's secret.
 */
import { crc32 } from 'node:zlib';
import { AppError } from '../base/errors.ts';

/** Of the lines that this release writes. */
const FORMAT = 1;

/** Everything of a user that arrived before the arrival number `upTo` is erased; what arrived later stays. */
export interface UserErasure {
  readonly kind: 'user';
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly project: string;
  readonly user: string;
  /** The devices whose events without a user were the user's. */
  readonly devices: readonly string[];
  readonly upTo: number;
}

export interface ProjectDeletion {
  readonly kind: 'project';
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly project: string;
}

export type ErasureEntry = UserErasure | ProjectDeletion;

/** Keyed hash of an id of a project; of the id of a project itself where `project` is ''. */
export type ErasureHash = (project: string, id: string) => string;

/** With its line feed. */
export function encodeEntry(entry: ErasureEntry): string {
  const text = JSON.stringify({ format: FORMAT, ...entry });
  return `${sum(text)} ${text}\n`;
}

/** Takes a line without its line feed; null: it is torn or damaged. Throws AppError for one of a newer release. */
export function parseEntry(line: string): ErasureEntry | null {
  const text = line.slice(9);
  if (line[8] !== ' ' || line.slice(0, 8) !== sum(text)) return null;
  const value: unknown = JSON.parse(text); // it has its checksum: this is what a release has written
  if (!isRecord(value)) return null;
  if (!(Number(value['format']) <= FORMAT)) {
    throw new AppError('bad_request', 'the erasure log was written by a newer release of Windlass', {
      hints: ['use that release or a later one: erased data must not come back'],
    });
  }
  return isEntry(value) ? value : null;
}

const sum = (text: string): string => crc32(text).toString(16).padStart(8, '0');

function isEntry(value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & ErasureEntry {
  const { kind, at, project, user, devices, upTo } = value;
  if (typeof at !== 'number' || typeof project !== 'string') return false;
  if (kind === 'project') return true;
  return kind === 'user' && typeof user === 'string' && Array.isArray(devices) && typeof upTo === 'number';
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
