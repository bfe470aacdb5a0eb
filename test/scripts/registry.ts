/** A registry of one package that carries a "node": the Node of these tests. npm fetches it over HTTP. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const PACKAGE = 'node-of-tests';
export const VERSION = process.version.slice(1);

export interface Registry {
  readonly url: string;
  readonly integrity: string;
  /** How often the package was downloaded. */
  readonly downloads: number;
  /** Resolves at the next request for the package, which then gets no answer. */
  stall(): Promise<void>;
  close(): void;
}

export async function startRegistry(): Promise<Registry> {
  const tarball = pack();
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  let downloads = 0;
  let stalled: (() => void) | null = null;
  const server = createServer(({ url = '', headers }, response) => {
    if (url === `/${PACKAGE}`) {
      const dist = { tarball: `http://${headers.host}/${PACKAGE}.tgz`, integrity };
      const versions = { [VERSION]: { name: PACKAGE, version: VERSION, dist } };
      response.end(JSON.stringify({ name: PACKAGE, 'dist-tags': { latest: VERSION }, versions }));
    } else if (url.endsWith('.tgz')) {
      downloads += 1;
      if (stalled === null) response.end(tarball);
      stalled?.();
      stalled = null;
    } else {
      response.writeHead(404).end('{}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    integrity,
    get downloads() {
      return downloads;
    },
    stall: () => new Promise((resolve) => (stalled = resolve)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function pack(): Buffer {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'package', 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify({ name: PACKAGE, version: VERSION }));
  const program = join(folder, 'package', 'bin', 'node');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
  chmodSync(program, 0o755);
  execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
  return readFileSync(join(folder, 'package.tgz'));
}
