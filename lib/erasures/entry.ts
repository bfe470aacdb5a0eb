/**
 * One line of an erasure log: a checksum (CRC-32, 8 hexadecimal digits), a space, and JSON. It names nobody: users, devices and
 * projects appear as keyed hashes, with a key made from the service's secret, and deleted events as their arrival numbers.
 */
import { crc32 } from 'node:zlib';
import { AppError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import type { ErasedUser } from '../control/projects/erased-users.ts';
import { readJson } from '../base/text/read-json.ts';

/** Formats of the lines that this release writes: 2 is that of events, which earlier releases would bring back. */
const FORMATS = { user: 1, project: 1, events: 2 } as const;
const FORMAT = 2;

/** Erases everything of a user that arrived before arrival number `upTo`, and nothing later. */
export interface UserErasure extends ErasedUser {
  readonly kind: 'user';
  readonly project: string;
}

export interface ProjectDeletion {
  readonly kind: 'project';
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly project: string;
}

/** Erases events, by their arrival numbers. */
export interface EventsDeletion {
  readonly kind: 'events';
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly project: string;
  /** Some texts of an `ArrivalSet`. */
  readonly arrivals: readonly string[];
}

export type ErasureEntry = UserErasure | ProjectDeletion | EventsDeletion;

/** Keyed hash of an id within a project; of a project's own id if `project` is ''. */
export type ErasureHash = (project: string, id: string) => string;

/** Includes the line feed. */
export function encodeEntry(entry: ErasureEntry): string {
  const text = JSON.stringify({ format: FORMATS[entry.kind], ...entry });
  return `${sum(text)} ${text}\n`;
}

/** Takes a line without its line feed; null: it is torn or damaged. Throws AppError if it is of a newer release. */
export function parseEntry(line: string): ErasureEntry | null {
  const text = line.slice(9);
  if (line[8] !== ' ' || line.slice(0, 8) !== sum(text)) return null;
  const value: unknown = readJson(text); // its checksum matched, so a release wrote it
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
  const { kind, at, project, user, devices, upTo, arrivals } = value;
  if (typeof at !== 'number' || typeof project !== 'string') return false;
  if (kind === 'project') return true;
  if (kind === 'events') return Array.isArray(arrivals) && arrivals.every((text) => typeof text === 'string');
  return kind === 'user' && typeof user === 'string' && Array.isArray(devices) && typeof upTo === 'number';
}
