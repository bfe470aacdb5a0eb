// Bundles console/ for pages: a script in dist/public/console for each page that has one of its own. Run by the build.
import { build } from 'esbuild';
import { ROOT } from './root.mjs';

await build({
  absWorkingDir: ROOT,
  entryPoints: ['console/ask.ts', 'console/overview.ts'],
  outdir: 'dist/public/console',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  tsconfigRaw: '{}',
  legalComments: 'none',
  logLevel: 'warning',
});
