/**
 * Which projects have an erasure under way, as files beside their shards: what a crash cuts off after the erasing transaction is
 * found by the next start, however many projects there are.
 */
import fs from 'node:fs';
import path from 'node:path';
import { namesIn } from '../../base/files/names-in.ts';
import { syncPath } from '../../base/files/sync-path.ts';

const SUFFIX = '.erasing';

const noteOf = (file: string): string => `${file}${SUFFIX}`;

/** Notes that bytes of a shard are about to be erased. On disk when it returns. Throws errors of the file system. */
export function noteErasing(file: string): void {
  fs.writeFileSync(noteOf(file), '', { mode: 0o600 });
  syncPath(path.dirname(file));
}

/** No file has them any more. */
export function forgetErasing(file: string): void {
  fs.rmSync(noteOf(file), { force: true });
}

/** The projects of a folder of shards with such a note. */
export const erasingIn = (folder: string): string[] =>
  namesIn(folder).flatMap((name) => (name.endsWith(`.db${SUFFIX}`) ? name.slice(0, -`.db${SUFFIX}`.length) : []));
