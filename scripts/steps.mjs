// The building blocks of the scripts in package.json. run.mjs has provided Node and packages.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint } from './fingerprint.mjs';
import { ROOT } from './root.mjs';

export { ROOT };

const DIST = join(ROOT, 'dist');
/** Of what the last complete build was made. */
export const STAMP = join(DIST, '.fingerprint');
const BUILT = /\.(js|js\.map)$/;

/** Runs a program on this terminal; returns its exit code. */
export function run(command, args, options = {}) {
  const { status, signal, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  if (error) throw error;
  return signal ? 1 : (status ?? 1);
}

/** Runs a package's program by its path: faster than npx, and never from the network. */
export function runTool(file, args, options) {
  return run(process.execPath, [join(ROOT, 'node_modules', file), ...args], options);
}

/** Ends the script with the exit code of a failed step. */
export function must(status) {
  if (status !== 0) process.exit(status);
}

/** Builds dist/: primitives, TypeScript (without deleted sources), checks of bodies, page scripts of sdk/ and console/, pages of docs/, bundles, packages for those who use a host. */
export function build(tell = () => undefined) {
  const sources = fingerprint(ROOT);
  rmSync(STAMP, { force: true }); // what is half built is not to be taken for whole
  tell('Building, step 1 of 3: types …');
  buildPrimitives();
  must(runTool('typescript/bin/tsc', ['--project', ROOT]));
  removeOrphans(DIST);
  tell('Building, step 2 of 3: scripts of pages, documentation …');
  must(run(process.execPath, ['scripts/build-console.mjs']));
  must(run(process.execPath, ['scripts/body-checks.mjs']));
  must(run(process.execPath, ['scripts/build-sdk.mjs']));
  must(run(process.execPath, ['scripts/build-docs.mjs']));
  tell('Building, step 3 of 3: programs …');
  must(run(process.execPath, ['scripts/bundle.mjs'])); // it contains the dashboard page
  must(run(process.execPath, ['scripts/build-package.mjs']));
  must(run(process.execPath, ['scripts/build-downloads.mjs']));
  chmodSync(join(DIST, 'bin', 'wl.js'), 0o755);
  writeFileSync(STAMP, sources);
}

/** Builds dist/ unless it is that of these sources: a build takes 7 s of a processor even where nothing has changed. */
export function buildIfChanged(tell) {
  if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== fingerprint(ROOT)) build(tell);
}

const PRIMITIVES = 'lib/primitives/wasm';
/** Keeps function names, for profiles. Shared memory can only be as large as 32-bit addresses allow. */
const ASSEMBLYSCRIPT = [
  ...['-O3', '--noAssert', '--debug', '--runtime', 'stub', '--importMemory', '--noExportMemory', '--zeroFilledMemory'],
  ...['--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536', '--enable', 'simd', '--enable', 'threads'],
];

/** Compiles AssemblyScript to one WebAssembly module, only if something changed: it takes as long as everything else. */
function buildPrimitives() {
  const sources = readdirSync(join(ROOT, PRIMITIVES)).map((name) => join(ROOT, PRIMITIVES, name));
  const out = join(DIST, 'lib', 'primitives', 'primitives.wasm');
  const changed = Math.max(...[...sources, join(ROOT, 'package-lock.json')].map((file) => statSync(file).mtimeMs));
  if (existsSync(out) && statSync(out).mtimeMs > changed) return;
  must(runTool('assemblyscript/bin/asc.js', [`${PRIMITIVES}/primitives.ts`, '--outFile', out, ...ASSEMBLYSCRIPT]));
}

function removeOrphans(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    const source = join(ROOT, file.slice(DIST.length).replace(BUILT, '.ts'));
    if (entry.isFile() && BUILT.test(entry.name) && !existsSync(source)) rmSync(file);
  }
}
