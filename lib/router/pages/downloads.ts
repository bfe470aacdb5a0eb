/** How somebody gets `wl` and windlass-client from the host itself: the packages that the build put into dist/public. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../base/files/package-folder.ts';
import { Asset } from './asset.ts';
import { copyName } from './static-files.ts';

const CLIENT = 'windlass-client.tgz';

/** The command that installs `wl` of this version. */
export const installWl = (address: string): string => `npm install -g ${address}/public/wl.tgz`;

/** The command that adds windlass-client to a program, by an address that always has these bytes: a lock file names their hash. */
export function installClient(address: string): string {
  return `npm install ${address}/public/${pinned()}`;
}

let name: string | undefined;
const pinned = (): string =>
  (name ??= copyName(
    CLIENT,
    new Asset(CLIENT, readFileSync(join(PACKAGE_FOLDER, 'dist', 'public', CLIENT)), 'immutable'),
  ));
