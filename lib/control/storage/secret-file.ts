import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError, codeOf } from '../../base/errors.ts';
import { makePrivate } from '../../base/files/private-files.ts';
import { syncPath } from '../../base/files/sync-path.ts';

/** Name of the file in the data folder that holds the secret if WINDLASS_SECRET is not set. */
export const SECRET_FILE = 'secret';

/** The secret in the data folder, created on the first call. Only its owner can read it. */
export function readOrCreateSecret(dataFolder: string): string {
  const file = join(dataFolder, SECRET_FILE);
  return readSecret(file) ?? createSecret(file);
}

function readSecret(file: string): string | null {
  let secret: string;
  try {
    secret = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  makePrivate(file);
  if (secret === '')
    throw new AppError('storage_unavailable', `${file} is empty`, { hints: ['restore it from a backup'] });
  return secret;
}

/** Written beside it and linked into place, so that another process sees a whole file or none, and the first one wins. */
function createSecret(file: string): string {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  syncPath(dirname(file));
  const secret = readSecret(file);
  if (secret === null) throw new Error(`${file} vanished while it was made`);
  return secret;
}
