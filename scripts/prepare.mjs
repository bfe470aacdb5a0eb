// What every script needs before it can begin: a recent enough Node, and the packages of the lock file. Plain JavaScript that
// must run on every Node since 16, with nothing installed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fail, npmCi } from './npm.mjs';
import { provideNode } from './provide-node.mjs';
import { ROOT } from './root.mjs';

/** The Node line to use instead of a Node that is too old. */
const REFERENCE = '24';

/** Resolves on a recent enough Node, with all packages installed. On an older Node it reruns the script and never resolves. */
export async function prepare() {
  const isOld = isTooOld();
  // Both at once: they wait for the network. No package runs a script, so it does not matter which Node installs it.
  const [node] = await Promise.all([isOld ? provideNode(REFERENCE) : null, isStale() ? install() : null]);
  if (isOld) await runAnew(node);
}

function isTooOld() {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const [needed, found] = [engines.node, process.version].map((text) => /(\d+)\.(\d+)/.exec(text).slice(1).map(Number));
  return found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1]);
}

/** Runs this script on another Node, which its children also find in PATH. This process only waits for it to end. */
function runAnew(node) {
  process.env.PATH = dirname(node) + delimiter + process.env.PATH;
  process.env.NODE = process.env.npm_node_execpath = node; // as npm passes it
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // Ctrl-C reaches the child directly, as it is in the same process group.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${node} cannot be run: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
  return new Promise(() => undefined);
}

function isStale() {
  const wanted = packagesOf('package-lock.json');
  const found = packagesOf('node_modules/.package-lock.json');
  return Object.entries(wanted).some(([path, { version, optional, link }]) => {
    if (link) return !existsSync(join(ROOT, path));
    // A missing optional package is for another platform: npm leaves it out.
    return isInstalled(path) && (found[path] === undefined ? !optional : found[path].version !== version);
  });
}

/** All others are folders of this checkout. */
const isInstalled = (path) => path.startsWith('node_modules/');

async function install() {
  const count = Object.entries(packagesOf('package-lock.json')).filter(
    ([path, entry]) => isInstalled(path) && isForHere(entry),
  ).length;
  const trouble = await npmCi(`Installing ${count} packages`, ROOT);
  if (trouble) fail(`The packages could not be installed: ${trouble}`);
}

/** The packages of a lock file by folder; none if the file does not exist yet. */
function packagesOf(lockFile) {
  const file = join(ROOT, lockFile);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {};
}

function isForHere({ os = [process.platform], cpu = [process.arch], libc = ['glibc'] }) {
  return os.includes(process.platform) && cpu.includes(process.arch) && libc.includes('glibc');
}
