// What the scripts of package.json are made of. Plain JavaScript on Node's own modules: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const DIST = join(ROOT, 'dist');
const BUILT = /\.(js|js\.map)$/;

/** Runs a program on this terminal; answers its exit code. */
export function run(command, args, options = {}) {
  const { status, signal, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  if (error) throw error;
  return signal ? 1 : (status ?? 1);
}

/** Runs the program of a package, by its path: faster than npx, and never from the network. */
export function runTool(file, args, options) {
  return run(process.execPath, [join(ROOT, 'node_modules', file), ...args], options);
}

/** Ends the script with the exit code of a step that failed. */
export function must(status) {
  if (status !== 0) process.exit(status);
}

/** `npm ci`, when node_modules is missing or is not what package-lock.json says. */
export function install() {
  if (!isStale()) return;
  process.stderr.write('Installing the packages of package-lock.json\n');
  must(run(process.platform === 'win32' ? 'npm.cmd' : 'npm', ['ci', '--no-audit', '--no-fund']));
}

/** TypeScript to dist/, without what is left there of sources that are gone, the primitives, and the bundle of the client commands. */
export function build() {
  install();
  buildPrimitives();
  must(runTool('typescript/bin/tsc', ['--project', ROOT]));
  removeOrphans(DIST);
  must(run(process.execPath, ['scripts/bundle.mjs']));
  chmodSync(join(DIST, 'bin', 'wl.js'), 0o755);
}

const PRIMITIVES = 'lib/primitives/wasm';
/** With the names of functions, for profiles. What is shared is only as wide as the machine's addresses are. */
const ASSEMBLYSCRIPT = [
  ...['-O3', '--noAssert', '--debug', '--runtime', 'stub', '--importMemory', '--noExportMemory', '--zeroFilledMemory'],
  ...['--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536', '--enable', 'simd', '--enable', 'threads'],
];

/** AssemblyScript to one module of WebAssembly; not again where nothing has changed since, as it takes as long as all the rest. */
function buildPrimitives() {
  const sources = readdirSync(join(ROOT, PRIMITIVES)).map((name) => join(ROOT, PRIMITIVES, name));
  const out = join(DIST, 'lib', 'primitives', 'primitives.wasm');
  const changed = Math.max(...[...sources, join(ROOT, 'package-lock.json')].map((file) => statSync(file).mtimeMs));
  if (existsSync(out) && statSync(out).mtimeMs > changed) return;
  must(runTool('assemblyscript/bin/asc.js', [`${PRIMITIVES}/primitives.ts`, '--outFile', out, ...ASSEMBLYSCRIPT]));
}

function isStale() {
  const wanted = packagesOf(join(ROOT, 'package-lock.json'));
  const found = packagesOf(join(ROOT, 'node_modules', '.package-lock.json'));
  // Optional packages are those of other platforms: npm leaves them out.
  return Object.entries(wanted).some(
    ([path, { version, optional }]) =>
      path !== '' && (found[path] === undefined ? !optional : found[path].version !== version),
  );
}

function packagesOf(lockFile) {
  return existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, 'utf8')).packages : {};
}

function removeOrphans(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    const source = join(ROOT, file.slice(DIST.length).replace(BUILT, '.ts'));
    if (entry.isFile() && BUILT.test(entry.name) && !existsSync(source)) rmSync(file);
  }
}
