/** The manifest of a backup: every file with its checksum. */
import { SCHEMA_VERSION } from '../control/storage/migrations.ts';
import { AppError } from '../base/errors.ts';
import { JOURNAL_FORMAT } from '../shards/journal/format.ts';
import { SHARD_FORMAT } from '../shards/file/shard-file.ts';
import { VERSION } from '../base/version.ts';
import type { Sighting } from './sighting.ts';
import { isRecord } from '../base/is-record.ts';
import { readJson } from '../base/text/read-json.ts';

/** Format of the manifest itself. */
const FORMAT = 1;

/** Formats of the files in the folder, as this release writes them. */
const FORMATS = { control: SCHEMA_VERSION, shards: SHARD_FORMAT, journal: JOURNAL_FORMAT } as const;

export interface BackedUpFile {
  /** Relative to the data folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of the content, in hex. */
  readonly sha256: string;
  /** For a shard: what the original looked like when it was copied. null: it is copied again next time. */
  readonly seen: Sighting | null;
}

/** A project whose shard was damaged when the backup was made. */
export interface DamagedShard {
  readonly project: string;
  readonly problem: string;
  /** When the backup began that this copy is from, ISO 8601; null: there is no copy. */
  readonly as_of: string | null;
}

export interface Manifest {
  readonly format: number;
  /** The release that made it. */
  readonly release: string;
  /** Everything acknowledged before is included. ISO 8601. */
  readonly began_at: string;
  readonly formats: Readonly<Record<keyof typeof FORMATS, number>>;
  readonly files: readonly BackedUpFile[];
  /** Omitted if there is none. */
  readonly damaged?: readonly DamagedShard[];
}

/** No other path in a manifest is accepted, so that a forged one cannot create files elsewhere. */
const PATH = /^(?:control\.db|secret|(?:journal|scripts)\/[\w-][\w.-]*|shards\/[\w-]+\.db)$/;

interface Listed {
  readonly beganAt: number;
  readonly files: readonly BackedUpFile[];
  readonly damaged: readonly DamagedShard[];
}

export function newManifest({ beganAt, files, damaged }: Listed): Manifest {
  return {
    format: FORMAT,
    release: VERSION,
    began_at: new Date(beganAt).toISOString(),
    formats: FORMATS,
    files,
    ...(damaged.length === 0 ? {} : { damaged }),
  };
}

export const manifestText = (manifest: Manifest): string => JSON.stringify(manifest);

/** `name`: of the backup, for messages. Throws AppError if the text is no manifest, or of a newer release. */
export function manifestOf(text: string, name: string): Manifest {
  const manifest = parse(text);
  if (manifest === null) throw torn(name, 'its manifest cannot be read');
  const { format, formats, release } = manifest;
  const newer = Object.entries(FORMATS).some(([part, known]) => !(Number(Reflect.get(formats, part)) <= known));
  if (format > FORMAT || newer) {
    throw new AppError('bad_request', `${name} was made by a newer release of Windlass (${release})`, {
      hints: [`restore it with release ${release} or later; this is ${VERSION}`],
    });
  }
  const strange = manifest.files.find((file) => !isFile(file));
  if (strange !== undefined) throw torn(name, 'its manifest names a file that no backup has');
  return manifest;
}

/** A manifest to reuse files from. null: it is damaged or of a newer release, which need not stop a backup. */
export async function usable(read: () => Manifest | Promise<Manifest>): Promise<Manifest | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && error.data.code === 'bad_request') return null;
    throw error;
  }
}

export function torn(folder: string, what: string): AppError {
  return new AppError('bad_request', `the backup ${folder} is damaged or was not copied whole: ${what}`, {
    hints: ['nothing was changed; restore another backup, or copy this one again from where it came'],
  });
}

/** null: not a manifest of any release. `isFile` checks its files once its format is known. */
function parse(text: string): Manifest | null {
  try {
    const value: unknown = readJson(text);
    return isManifest(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value)) return false;
  const { format, release, began_at: at, formats, files } = value;
  const named = typeof format === 'number' && typeof release === 'string' && typeof at === 'string';
  return named && Number.isFinite(Date.parse(at)) && isRecord(formats) && Array.isArray(files);
}

function isFile(value: unknown): value is BackedUpFile {
  if (!isRecord(value)) return false;
  const { path: name, bytes, sha256 } = value;
  const summed = typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256);
  const sized = typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0;
  return typeof name === 'string' && PATH.test(name) && sized && summed;
}
