/** What a first start creates, and where its keys go: they can be shown only once. */
import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, codeOf, messageOf } from '../base/errors.ts';
import { syncPath } from '../base/files/sync-path.ts';
import type { ControlDatabase, Defaults } from '../control/database.ts';

/**
 * Creates the organization and the project of a first start, with their keys in `file` unless that is null; null on later starts.
 * The file is created before them, for its owner alone. Throws AppError, and creates nothing, if it exists or cannot be written.
 */
export async function firstDefaults(control: ControlDatabase, file: string | null): Promise<Defaults | null> {
  const by = { name: 'first start', ip: null };
  if (file === null || (await control.organizations.exist())) return control.ensureDefaults(by);
  const handle = create(file);
  let defaults: Defaults | null = null;
  try {
    defaults = await control.ensureDefaults(by);
    if (defaults !== null) write(handle, `${keyLines(defaults).join('\n')}\n`);
  } finally {
    closeSync(handle);
    if (defaults === null) rmSync(file); // another node was first, or it failed
  }
  return defaults;
}

export function keyLines({ organization, adminKey, project, secretKey }: Defaults): readonly string[] {
  return [
    `  organization  ${organization.name} (${organization.id})`,
    `    admin key   ${adminKey}`,
    `  project       ${project.name} (${project.id})`,
    `    public key  ${project.publicKey}`,
    `    secret key  ${secretKey}`,
  ];
}

function create(file: string): number {
  let handle: number | null = null;
  try {
    handle = openSync(file, 'wx', 0o600);
    // Bytes that are written before there are keys, so that a full disk does not lose them. All lines have about 400.
    writeSync(handle, ' '.repeat(4_096), 0);
    fsyncSync(handle);
    syncPath(dirname(file));
    return handle;
  } catch (error) {
    if (handle !== null) {
      closeSync(handle);
      rmSync(file);
    }
    const why = codeOf(error) === 'EEXIST' ? 'it exists already' : messageOf(error);
    throw new AppError('conflict', `WINDLASS_FIRST_KEYS_FILE cannot be created at ${file}: ${why}.`);
  }
}

function write(handle: number, text: string): void {
  writeSync(handle, text, 0);
  ftruncateSync(handle, Buffer.byteLength(text));
  fsyncSync(handle);
}
