// Renders docs/ into dist/docs, for lib/router/pages/docs.ts. Run by the build.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { buildSite } from '../dist/scripts/docs-site/site.js';
import { ROOT } from './root.mjs';

const [docs, built] = [join(ROOT, 'docs'), join(ROOT, 'dist', 'docs')];
const files = globSync('**/*.md', { cwd: docs }).map((file) => file.replaceAll(sep, '/')).sort(); // prettier-ignore
const sources = new Map(files.map((file) => [file.slice(0, -'.md'.length), readFileSync(join(docs, file), 'utf8')]));
rmSync(built, { recursive: true, force: true });
for (const [file, text] of buildSite(sources)) {
  mkdirSync(dirname(join(built, file)), { recursive: true });
  writeFileSync(join(built, file), text);
}
