// npm run release -- …: a new version of Windlass, in two steps.
//
//   npm run release -- prepare 0.2.0         # writes the version wherever it stands, and dates the changelog; commit and tag that
//   npm run release -- make [--image]        # of the commit as it is: packages, SBOM, notes, provenance, checksums, and the image
//
// --out FOLDER: where `make` writes, by default .build/release. --bases: see deploy/docker/try.sh. --dry-run: tells what would be
// written, and writes nothing. Either step fails if something is in its way, and says what.
import { parseArgs } from 'node:util';
import { makeRelease } from './release/make.mjs';
import { prepareRelease } from './release/prepare.mjs';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    image: { type: 'boolean', default: false },
    out: { type: 'string', default: '.build/release' },
    bases: { type: 'string' },
  },
});
const [step, version] = positionals;
const given = { dryRun: values['dry-run'], image: values.image, out: values.out, bases: values.bases };

try {
  if (step === 'prepare' && version !== undefined) prepareRelease(version, given);
  else if (step === 'make' && version === undefined) makeRelease(given);
  else throw new Error('Say `npm run release -- prepare VERSION` or `npm run release -- make`.');
} catch (error) {
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = 1;
}
