// Bundles console/ for pages: a script in dist/public/console for each page that has one of its own. Run by the build.
import { build } from 'esbuild';
import { ROOT } from './root.mjs';

await build({
  absWorkingDir: ROOT,
  entryPoints: {
    'console/ask': 'console/ask.ts',
    'console/overview': 'console/overview.ts',
    'console/dashboards': 'console/dashboard/page.ts',
  },
  outdir: 'dist/public',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  tsconfigRaw: '{}',
  legalComments: 'none',
  logLevel: 'warning',
});
