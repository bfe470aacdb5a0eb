// npm run build:binary [-- file]: the client commands as one executable, dist-bin/wl, for this platform (Node's SEA).
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { must, ROOT, run } from './steps.mjs';

/** Where Node looks for the program, and the mark in its executable that says there is one: both as in Node's manual. */
const RESOURCE = 'NODE_SEA_BLOB';
const SENTINEL = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const executable = resolve(process.argv[2] ?? join(ROOT, 'dist-bin', process.platform === 'win32' ? 'wl.exe' : 'wl'));
const folder = mkdtempSync(join(tmpdir(), 'wl-binary-'));
try {
  await inject(await programOf(folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${executable}\n`);

/** The bundle in the form Node expects in the executable: with its code cache, so that it starts at once. */
async function programOf(folder) {
  const { bundleClient } = await import('./bundle.mjs');
  const [main, output, config] = ['client.cjs', 'client.blob', 'sea.json'].map((name) => join(folder, name));
  await bundleClient(main, { sourcemap: false });
  writeFileSync(config, JSON.stringify({ main, output, disableExperimentalSEAWarning: true, useCodeCache: true }));
  must(run(process.execPath, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] }));
  return readFileSync(output);
}

/** Puts the program into a copy of the running Node. On macOS a signed executable must be signed again. */
async function inject(program) {
  const { inject: injectResource } = await import('postject');
  const isMac = process.platform === 'darwin';
  mkdirSync(dirname(executable), { recursive: true });
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  if (isMac) must(run('codesign', ['--remove-signature', executable]));
  await injectResource(executable, RESOURCE, program, {
    sentinelFuse: SENTINEL,
    ...(isMac ? { machoSegmentName: 'NODE_SEA' } : {}),
  });
  if (isMac) must(run('codesign', ['--sign', '-', executable]));
}
