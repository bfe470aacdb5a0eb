// The version wherever it stands, and the changelog with its section.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { released, sectionOf } from './changelog.mjs';

/** Where the version stands: a file, and how it is named there; `$` is the version. Others come out of `npm run docs`. */
const PLACES = [
  ['package.json', '"version": "$"'],
  ['package.json', '"windlass-cluster": "$"'],
  ['cluster/package.json', '"version": "$"'],
  ['sdk/package.json', '"version": "$"'],
  ['sdk/core/version.ts', "VERSION = '$'"],
  ['deploy/kubernetes/kustomization.yaml', 'newTag: $'],
  ['cluster/deploy/kubernetes/kustomization.yaml', 'newTag: $'],
];

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-[\d.A-Za-z-]+)?$/;

/** Throws what is in the way, before anything is written. */
export function prepareRelease(version, { dryRun }) {
  const now = versionOf();
  const texts = new Map();
  const read = (file) => texts.get(file) ?? readFileSync(join(ROOT, file), 'utf8');
  const changelog = read('CHANGELOG.md');
  checkNext(version, now, changelog);
  texts.set('CHANGELOG.md', released(changelog, version, new Date().toISOString().slice(0, 10)));
  texts.set('package-lock.json', relocked(read('package-lock.json'), version));
  for (const [file, place] of PLACES) {
    const [before, after] = [now, version].map((text) => place.replace('$', text));
    if (!read(file).includes(before)) throw new Error(`${file} does not have ${before}: is it of another version?`);
    texts.set(file, read(file).replace(before, after));
  }
  for (const [file, text] of texts) if (!dryRun) writeFileSync(join(ROOT, file), text);
  const files = [...texts.keys()].join(', ');
  process.stdout.write(
    dryRun
      ? `Would change ${now} to ${version} in ${files}.\n`
      : `Changed ${now} to ${version} in ${files}.\nNext: npm run docs && git commit -am 'Release ${version}' && git tag v${version}\n`,
  );
}

/** The version of this checkout. */
export function versionOf() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
}

/** The version of the first release may stand there already. */
function checkNext(version, now, changelog) {
  if (!VERSION.test(version)) throw new Error(`"${version}" is no version such as 0.2.0 or 1.0.0-rc.1.`);
  if (sectionOf(changelog, version) !== null) throw new Error(`CHANGELOG.md has a section ${version} already.`);
  const parts = (text) => VERSION.exec(text).slice(1, 4).map(Number); // prettier-ignore
  const [next, last] = [parts(version), parts(now)];
  const differs = next.findIndex((part, index) => part !== last[index]);
  if (differs >= 0 && next[differs] < last[differs]) throw new Error(`${version} is older than ${now}.`);
}

function relocked(text, version) {
  const lock = JSON.parse(text);
  const { '': root, cluster } = lock.packages;
  lock.version = root.version = cluster.version = version;
  root.peerDependencies['windlass-cluster'] = version;
  return `${JSON.stringify(lock, null, 2)}\n`;
}
