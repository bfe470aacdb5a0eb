// Provides a Node of a given line, from the npm packages that carry its executable (nodes.json): kept in .node, which git
// ignores. Must run on every Node since 16. As a program: `node scripts/provide-node.mjs 22` prints the folder of its executable.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, npmCi } from './npm.mjs';
import { ROOT } from './root.mjs';

const PLATFORM = `${process.platform}-${process.arch}`;
const KEPT = join(ROOT, '.node');
const EXECUTABLE = process.platform === 'win32' ? 'node.exe' : 'node';
/** A download in progress, named by the process that makes it. */
const STAGE = /^fetching-(\d+)$/;

/** The path of a Node of the line `line` ("24"): this one if it fits, else a fetched one. Ends the script if there is none. */
export async function provideNode(line) {
  if (process.version.startsWith(`v${line}.`)) return process.execPath;
  const wanted = JSON.parse(readFileSync(join(ROOT, 'scripts/nodes.json'), 'utf8'))[line][PLATFORM];
  if (wanted === undefined)
    fail(`There is no package of Node ${line} for ${PLATFORM}. Please install it from nodejs.org.`);
  const folder = join(KEPT, `${PLATFORM}-${wanted.version}`);
  if (!existsSync(folder)) await fetchInto(folder, wanted);
  return join(folder, EXECUTABLE);
}

/** All or nothing: a folder under its final name is complete. */
async function fetchInto(folder, wanted) {
  removeAbandoned();
  const stage = join(KEPT, `fetching-${process.pid}`);
  const bin = join(stage, 'node_modules', wanted.package, 'bin');
  mkdirSync(stage, { recursive: true });
  let trouble;
  try {
    writeManifest(stage, wanted);
    const text = `Fetching Node ${wanted.version} into .node, once (this is Node ${process.version.slice(1)})`;
    trouble = (await npmCi(text, stage)) || cannotRun(bin, wanted);
    if (!trouble) publish(bin, folder);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  if (trouble) fail(`Node ${wanted.version} could not be fetched: ${trouble}`);
}

/** A project of one package whose lock file has its hash, so npm accepts no other bytes. */
function writeManifest(stage, { package: name, version, integrity }) {
  const project = { name: 'node', version: '0.0.0', private: true, dependencies: { [name]: version } };
  const lock = {
    ...project,
    lockfileVersion: 3,
    requires: true,
    packages: { '': project, [`node_modules/${name}`]: { version, integrity } },
  };
  writeFileSync(join(stage, 'package.json'), JSON.stringify(project));
  writeFileSync(join(stage, 'package-lock.json'), JSON.stringify(lock));
}

/** Why it cannot run here (a Linux with another C library, say), or null. */
function cannotRun(bin, { version }) {
  const { stdout, error, stderr } = spawnSync(join(bin, EXECUTABLE), ['--version'], { encoding: 'utf8' });
  if (stdout && stdout.trim() === `v${version}`) return null;
  return `its executable does not run on this system (${(error ? error.message : stderr).trim()}). Please install Node from nodejs.org.`;
}

function publish(bin, folder) {
  try {
    renameSync(bin, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // else another script was faster
  }
}

/** Deletes downloads whose process is gone. */
function removeAbandoned() {
  for (const name of existsSync(KEPT) ? readdirSync(KEPT) : []) {
    const stage = STAGE.exec(name);
    if (stage && !isAlive(Number(stage[1]))) rmSync(join(KEPT, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${dirname(await provideNode(process.argv[2]))}\n`);
}
