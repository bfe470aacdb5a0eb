// Builds windlass-client of sdk/ into sdk/dist: ESM and CommonJS, each with types. Run by `npm run check` and before a release.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './root.mjs';
import { must, runTool } from './steps.mjs';

const SDK = join(ROOT, 'sdk');
const DIST = join(SDK, 'dist');
const ENTRIES = ['client', 'choice', 'file-queue', 'browser'].map((name) => `client/${name}.ts`);

rmSync(DIST, { recursive: true, force: true });
const options = {
  absWorkingDir: SDK,
  entryPoints: ENTRIES,
  outdir: 'dist',
  outbase: 'client',
  bundle: true,
  platform: 'neutral',
  external: ['node:*'],
  target: 'es2022',
  tsconfigRaw: '{}',
  logLevel: 'warning',
};
await build({ ...options, format: 'esm', splitting: true, chunkNames: 'chunks/[name]-[hash]' });
await build({ ...options, format: 'cjs', outExtension: { '.js': '.cjs' } });
must(
  runTool('typescript/bin/tsc', [
    ...['--project', SDK, '--noEmit', 'false', '--emitDeclarationOnly', '--declaration'],
    ...['--outDir', join(DIST, 'types')],
  ]),
);
writeTypes(join(DIST, 'types'));

/** Makes types import each other by the built file names: .js for modules, .cjs in a copy for CommonJS. */
function writeTypes(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.d.ts')) continue;
    const file = join(entry.parentPath, entry.name);
    const text = readFileSync(file, 'utf8');
    const naming = (extension) => text.replaceAll(/((?:from |import\()(['"])\.[^'"]+)\.ts\2/g, `$1${extension}$2`);
    writeFileSync(file, naming('.js'));
    writeFileSync(file.replace(/\.d\.ts$/, '.d.cts'), naming('.cjs'));
  }
}
