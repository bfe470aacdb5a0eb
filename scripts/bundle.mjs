// Bundles programs, which then load in half the time. Run by the build; the single executable contains the client commands, too.
import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from './steps.mjs';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const SETTINGS = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node22.12',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
};

/** Single-file programs, packages included: Node spends more time finding modules than running their code. */
const PROGRAM = {
  ...SETTINGS,
  format: 'cjs',
  define: { 'import.meta.url': 'bundleUrl', 'import.meta.filename': '__filename' },
  banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
};

/** Packages that a service bundle loads as installed: large tables, and what most services never load. */
const LEFT_OUT = ['iconv-lite', 'mime-db', '@clickhouse/client', 'pg'];

/** Writes the CommonJS bundle. It never contains server code or native modules: workers are found by import.meta.url. */
export async function bundleClient(outfile, options = {}) {
  const { metafile } = await build({
    ...PROGRAM,
    entryPoints: ['bin/client.ts'],
    outfile,
    supported: { 'dynamic-import': false }, // single executables do not support it
    metafile: true,
    plugins: [clientOnly, lateWidths],
    ...options,
  });
  const foreign = Object.keys(metafile.inputs).filter((file) => FOREIGN.test(file));
  if (foreign.length > 0) throw new Error(`not for the client's bundle: ${foreign.join(', ')}`);
}

/** lib/dsl is allowed: dashboards are checked with it while they are written. */
const FOREIGN = /^lib\/(?:clickhouse|control|router|server|shards|store|workers)|better-sqlite3|\.node$/;

/** As CommonJS, because packages both import and require it. */
const STRING_WIDTH = `
let whole;
module.exports = function stringWidth(text, options) {
  if (typeof text === 'string' && /^[ -~]*$/.test(text)) return text.length;
  whole ??= require('./node_modules/string-width/index.js').default;
  return whole(text, options);
};`;

/** Tables of emoji and a segmenter take a fifth of a small command's start, so they load with the first non-ASCII text. */
const lateWidths = {
  name: 'late-widths',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^string-width$/ }, ({ path }) => ({ path, namespace: 'width' }));
    onLoad({ filter: /.*/, namespace: 'width' }, () => ({ contents: STRING_WIDTH, resolveDir: ROOT }));
  },
};

/** Packages that most services never use, or not soon, by their file and what they export; they load with their first use. */
const LATE = {
  re2js: ['re2js/build/index.cjs', 'RE2JS', 'RE2JSException'],
  maxmind: ['maxmind/lib/index.js', 'Reader'],
};

const latePackages = {
  name: 'late-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(?:${Object.keys(LATE).join('|')})$`) }, ({ path }) => ({
      path,
      namespace: 'late',
    }));
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => {
      const [file, ...names] = LATE[path];
      const late = (name) => `{ enumerable: true, get: () => require('./node_modules/${file}').${name} }`;
      const properties = names.map((name) => `${name}: ${late(name)}`).join(', ');
      return { contents: `Object.defineProperties(exports, { ${properties} });`, resolveDir: ROOT };
    });
  },
};

/**
 * Modules that prom-client has for what nothing here uses: they load TLS, which reads the certificates of NODE_EXTRA_CA_CERTS,
 * clusters and traces.
 */
const onlyMetrics = {
  name: 'only-metrics',
  setup({ onLoad }) {
    const unused = /[\\/](?:prom-client[\\/]lib[\\/](?:pushgateway|cluster)|@opentelemetry[\\/]api[\\/].+)\.[cm]?js$/;
    onLoad({ filter: unused }, () => ({ contents: '' }));
  },
};

/** Packages with files that no bundle can contain, a native module and a thread's program, which they look for beside their own. */
const besideInstalled = {
  name: 'beside-installed',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, kind }) => (kind === 'require-resolve' ? { path, external: true } : null));
    onLoad({ filter: /[\\/](?:better-sqlite3[\\/]lib[\\/]binding|piscina[\\/]dist[\\/]index)\.js$/ }, ({ path }) => {
      const [, name] = /[\\/]node_modules[\\/]([\w-]+)[\\/]/.exec(path);
      const folder = `require('node:path').dirname(require.resolve('${name}'))`;
      return { contents: readFileSync(path, 'utf8').replaceAll('__dirname', folder) };
    });
  },
};

/** Leaves out `serve` and `admin`; fixes the version, the dashboard page and the language page at build time. */
const clientOnly = {
  name: 'client-only',
  setup({ onResolve, onLoad }) {
    const serverOnly = join(ROOT, 'lib/cli/server-only.ts');
    onResolve({ filter: /^\.\/(?:serve|admin\/admin)\.ts$/ }, () => ({ path: serverOnly }));
    onLoad({ filter: /[\\/]lib[\\/]base[\\/]version\.ts$/ }, () => ({
      contents: `export const VERSION = ${JSON.stringify(version)};`,
    }));
    onLoad({ filter: /[\\/]page[\\/]page-files\.ts$/ }, async () => {
      const { pageFiles } = await import('../dist/lib/dashboards/page/page-files.js');
      return { contents: `export const pageFiles = () => (${JSON.stringify(pageFiles())});` };
    });
    onLoad({ filter: /[\\/]help[\\/]language-page\.ts$/ }, () => ({
      contents: `export const languagePage = () => ${JSON.stringify(readFileSync(join(ROOT, 'docs/query-language.md'), 'utf8'))};`,
    }));
  },
};

const BUNDLE = join(ROOT, 'dist/bundle');

/** The service with its commands and threads, each a program NAME.code.cjs that NAME.cjs loads. */
async function bundleService() {
  // V8 keeps the text of each program in each thread that runs it. Errors name lines, so these stay short.
  const short = { minifyWhitespace: true, lineLimit: 120 };
  const options = { ...PROGRAM, ...short, outdir: BUNDLE, outExtension: { '.js': '.cjs' } };
  const threads = threadPrograms();
  await Promise.all([
    build({
      ...options,
      entryPoints: { 'service.code': 'bin/service.ts' },
      external: LEFT_OUT,
      plugins: [lateWidths, latePackages, onlyMetrics, besideInstalled],
    }),
    build({
      ...options,
      entryPoints: threads,
      entryNames: '[name].code',
      external: [...LEFT_OUT, 'piscina'], // which has loaded a part of itself in the thread
      plugins: [latePackages, besideInstalled],
    }),
    build({ ...options, entryPoints: ['lib/base/load-program.ts'] }),
  ]);
  for (const name of ['service', ...threads.map((file) => basename(file, '.ts'))]) {
    const file = join(BUNDLE, `${name}.code.cjs`);
    writeFileSync(file, asFunction(inAscii(lightBuiltins(readFileSync(file, 'utf8')))));
    writeFileSync(
      join(BUNDLE, `${name}.cjs`),
      `require('./load-program.cjs').loadProgram(module, require, __filename);\n`,
    );
  }
  copyFileSync(join(ROOT, 'dist/lib/primitives/primitives.wasm'), join(ROOT, 'dist/bundle/primitives.wasm'));
}

/** The text that V8 compiles. If it were put together at the start, the program would be in memory twice. */
function asFunction(text) {
  return `(function (exports, require, module, __filename, __dirname) { ${text}\n})\n`;
}

/**
 * esbuild copies a builtin for each module that imports it as a whole: a getter for each of the hundred functions of node:fs. One
 * object that inherits them does.
 */
function lightBuiltins(text) {
  const withDefault = 'const withDefault=(builtin)=>Object.create(builtin,{default:{value:builtin}});\n';
  const light = text.replaceAll(/__toESM\((require\("node:[\w/]+"\)),\s*1\)/g, 'withDefault($1)');
  if (/__toESM\(\s*require\(\s*"node:/.test(light)) throw new Error('esbuild copies builtins in another way now');
  return withDefault + light;
}

/**
 * One non-ASCII character, even in a comment, costs V8 two bytes per character of the program. esbuild already escapes strings.
 */
function inAscii(text) {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A thread for tests that start many of them. It loads packages as installed. */
async function bundleTestThread() {
  await build({
    ...SETTINGS,
    format: 'esm',
    packages: 'external',
    entryPoints: ['test/support/memory-worker.ts'],
    outfile: 'dist/test/support/memory-worker.bundle.js',
  });
  copyFileSync(join(ROOT, 'dist/lib/primitives/primitives.wasm'), join(ROOT, 'dist/test/support/primitives.wasm'));
}

const THREAD = /new URL\('\.\/([\w-]+)\.js', import\.meta\.url\)/g;

/** The threads that modules of lib/ start. In a bundle such a URL leads nowhere, so each goes through `threadFile`. */
function threadPrograms() {
  return globSync('lib/**/*.ts', { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [...text.matchAll(THREAD)].map(([url, name]) => {
      if (!text.includes(`threadFile(${url})`)) throw new Error(`${file}: ${url} needs threadFile(…)`);
      return join(dirname(file), `${name}.ts`);
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await Promise.all([bundleClient(join(ROOT, 'dist/bin/client.cjs')), bundleService(), bundleTestThread()]);
}
