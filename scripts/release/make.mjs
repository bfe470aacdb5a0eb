// What a release consists of, made of the commit that is checked out.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { packInto } from '../npm.mjs';
import { build, must, ROOT, run } from '../steps.mjs';
import { sectionOf } from './changelog.mjs';
import { versionOf } from './prepare.mjs';
import { provenanceOf } from './provenance.mjs';

/** Throws what is in the way, before anything is made. */
export function makeRelease({ out, image, bases, dryRun }) {
  const version = versionOf();
  const names = namesOf(version);
  const notes = sectionOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
  const changed = git('status', '--porcelain');
  const folder = resolve(ROOT, out);
  const problems = [
    ...(notes === null ? [`CHANGELOG.md has no section ${version}: run \`npm run release -- prepare ${version}\``] : []),
    ...(changed === '' ? [] : [`the checkout has changes that are in no commit:\n${changed}`]),
    ...(mayReplace(folder) ? [] : [`${folder} has files of others: name an empty folder with --out`]),
  ];
  const made = Object.values(names).filter((name) => image || name !== names.image);
  if (dryRun) process.stdout.write(`Would make in ${out}, of commit ${git('rev-parse', 'HEAD')}:\n${made.join('\n')}\n`);
  if (problems.length > 0) throw new Error(problems.join('; '));
  if (dryRun) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const begun = new Date();
  build();
  makePackages(folder, names);
  writeFileSync(join(folder, names.sbom), execFileSync(process.execPath, ['scripts/sbom.mjs'], { cwd: ROOT, maxBuffer: LARGEST }));
  writeFileSync(join(folder, names.notes), `${notes}\n`);
  if (image) must(run('deploy/docker/try.sh', [...(bases === undefined ? [] : ['--bases', bases]), join(folder, names.image)]));
  const commit = { sha: git('rev-parse', 'HEAD'), repository: repository() };
  const statement = provenanceOf({ version, commit, begun, ended: new Date(), files: sumsOf(folder) });
  writeFileSync(join(folder, names.provenance), `${JSON.stringify(statement, null, 2)}\n`);
  const sums = sumsOf(folder).map(({ name, sha256 }) => `${sha256}  ${name}\n`);
  writeFileSync(join(folder, names.sums), sums.join(''));
  process.stdout.write(`${made.map((name) => join(folder, name)).join('\n')}\n`);
} // prettier-ignore

const LARGEST = 64 << 20; // bytes of an SBOM

/** Whether a folder is not there, or has nothing but files of a release, perhaps of one that was not finished. */
function mayReplace(folder) {
  const isOurs = (file) => /^(?:windlass-.*\.(?:tgz|tar|json)|NOTES\.md|SHA256SUMS)$/.test(file);
  return !existsSync(folder) || readdirSync(folder).every(isOurs);
}

/** The files of a release. */
function namesOf(version) {
  return {
    server: `windlass-${version}.tgz`,
    cluster: `windlass-cluster-${version}.tgz`,
    client: `windlass-client-${version}.tgz`,
    wl: `windlass-wl-${version}.tgz`,
    image: `windlass-${version}-image.tar`,
    sbom: `windlass-${version}.cdx.json`,
    notes: 'NOTES.md',
    provenance: `windlass-${version}.intoto.json`,
    sums: 'SHA256SUMS',
  };
}

/** Of what has just been built, so that all of them are one build. */
function makePackages(folder, names) {
  const packed = packInto(folder, [ROOT, join(ROOT, 'cluster'), join(ROOT, 'sdk')]);
  [names.server, names.cluster, names.client].forEach((name, nth) => renameSync(packed[nth], join(folder, name)));
  copyFileSync(join(ROOT, 'dist/public/wl.tgz'), join(folder, names.wl));
}

function sumsOf(folder) {
  return readdirSync(folder).toSorted().map((name) => {
    const sha256 = createHash('sha256').update(readFileSync(join(folder, name))).digest('hex');
    return { name, sha256 };
  });
} // prettier-ignore

/** The address that this checkout was cloned from, without what somebody logged in with; null: it has none. */
function repository() {
  const [remote = ''] = git('remote').split('\n');
  if (remote === '') return null;
  return git('remote', 'get-url', remote).replace(/^(https?:\/\/)[^/]*@/, '$1');
}

function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}
