// Packs what a host gives to those who use it, in dist/public: wl.tgz, the client's commands of `wl`, and windlass-client.tgz, the
// package of sdk/. Neither has dependencies, so npm installs them from the host alone. Run by the build.
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleClient } from './bundle.mjs';
import { noticesOf } from './notices.mjs';
import { packInto } from './npm.mjs';
import { ROOT } from './root.mjs';

const PUBLIC = join(ROOT, 'dist', 'public');
const STAGE = join(ROOT, '.build', 'wl');
const { version, license, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Not `windlass`: the package of the server, which would be replaced, has that name. */
const MANIFEST = {
  name: 'windlass-wl',
  version,
  description: "Windlass at a terminal: the client's commands of wl.",
  license,
  engines,
  type: 'module',
  bin: { wl: 'bin/wl.js' },
};

const README = `# wl

The client's commands of Windlass ${version}: events, questions, dashboards, imports and exports at a terminal. It has no dependencies. The server is another package, \`windlass\`.

\`\`\`sh
wl config init
wl query 'inspect *'
\`\`\`
`;

/** In place of dist/bin/start.js: there is nothing but the bundle. */
const START = `import { createRequire, enableCompileCache } from 'node:module';
enableCompileCache();
createRequire(import.meta.url)('./client.cjs');
`;

/** Of the checkout's build, as they are: they say so where Node is too old. */
const STARTING = ['bin/wl.js', 'lib/cli/freed-memory.js'];

rmSync(STAGE, { recursive: true, force: true });
for (const file of STARTING) cpSync(join(ROOT, 'dist', file), join(STAGE, file));
const { inputs } = await bundleClient(join(STAGE, 'bin/client.cjs'), {
  sourcemap: false,
  minify: true,
  keepNames: true,
});
for (const [name, text] of Object.entries({
  'bin/start.js': START,
  'package.json': `${JSON.stringify(MANIFEST, null, 2)}\n`,
  'README.md': README,
  'NOTICES.txt': noticesOf(Object.keys(inputs)),
  LICENSE: readFileSync(join(ROOT, 'LICENSE')),
}))
  writeFileSync(join(STAGE, name), text);
mkdirSync(PUBLIC, { recursive: true });
const packed = packInto(join(ROOT, '.build'), [STAGE, join(ROOT, 'sdk')]);
['wl.tgz', 'windlass-client.tgz'].forEach((name, nth) => renameSync(packed[nth], join(PUBLIC, name)));
