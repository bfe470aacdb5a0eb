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

/** Packages that a service bundle loads as installed: large tables, and the cluster's, which most services have none of. */
const LEFT_OUT = ['iconv-lite', 'mime-db', 'windlass-cluster'];

/**
 * Writes the CommonJS bundle, and returns what esbuild tells of it. It never contains server code or native modules: workers are
 * found by import.meta.url.
 */
export async function bundleClient(outfile, options = {}) {
  const { metafile } = await build({
    ...PROGRAM,
    entryPoints: ['bin/client.ts'],
    outfile,
    supported: { 'dynamic-import': false }, // single executables do not support it
    metafile: true,
    plugins: [clientOnly, lateWidths, onlyPool],
    ...options,
  });
  const foreign = Object.keys(metafile.inputs).filter((file) => FOREIGN.test(file));
  if (foreign.length > 0) throw new Error(`not for the client's bundle: ${foreign.join(', ')}`);
  return metafile;
}

/** lib/dsl is allowed: dashboards are checked with it while they are written. */
const FOREIGN = /^cluster|^lib\/(?:control|router|server|shards|store|workers)|better-sqlite3|\.node$/;

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

/** Of undici only its pool: the whole, and HTTP/2, take three times as long to load as all else of a small command. */
const onlyPool = {
  name: 'only-pool',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, ({ path }) => ({ path, namespace: 'pool' }));
    onLoad({ filter: /.*/, namespace: 'pool' }, () => ({
      contents: "exports.Agent = require('./node_modules/undici/lib/dispatcher/agent.js');",
      resolveDir: ROOT,
    }));
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/](?:dispatcher[\\/]client-h2|web[\\/].*|mock[\\/].*)\.js$/ }, () => ({
      contents: '',
    }));
  },
};

/** Packages that most services never use, or not soon, by their file and what they export; they load with their first use. */
const LATE = {
  re2js: ['re2js/build/index.cjs', 'RE2JS', 'RE2JSException'],
  maxmind: ['maxmind/lib/index.js', 'Reader'],
  croner: ['croner/dist/croner.cjs', 'Cron'],
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
 * Modules that packages have for what nothing here uses. Those of prom-client load TLS, which reads the certificates of
 * NODE_EXTRA_CA_CERTS, clusters and traces. Those of express are its application, which no request goes through, and what reads
 * bodies and sends files: most of what it takes to load it.
 */
const UNUSED = [
  ...['prom-client/lib/pushgateway', 'prom-client/lib/cluster', '@opentelemetry/api/.+'],
  ...['express/lib/(?:application|request|response|utils|view)', 'body-parser/.+', 'serve-static/.+'],
];

const onlyUsed = {
  name: 'only-used',
  setup({ onLoad }) {
    const unused = new RegExp(`/(?:${UNUSED.join('|')})\\.[cm]?js$`.replaceAll('/', '[\\\\/]'));
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

/** Has been written into dist/. */
const bodyChecks = {
  name: 'body-checks',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/body-checks\.js$/ }, ({ path }) => ({ path: join(ROOT, 'dist/lib/router/route', path) }));
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
const PRIMITIVES = join(ROOT, 'dist/lib/primitives/primitives.wasm');
// V8 keeps the text of each program in each thread that runs it. Errors name lines, so these stay short.
const SHORT = { ...PROGRAM, minifyWhitespace: true, lineLimit: 120, outExtension: { '.js': '.cjs' } };

/** The service with its commands, and each thread, as a program NAME.cjs. */
async function bundleService() {
  const threads = threadPrograms('lib');
  await Promise.all([
    build({
      ...SHORT,
      outdir: BUNDLE,
      entryPoints: { service: 'bin/service.ts' },
      external: LEFT_OUT,
      plugins: [lateWidths, latePackages, onlyPool, onlyUsed, besideInstalled, bodyChecks, clusterPackage],
    }),
    bundleThreads(threads, BUNDLE),
  ]);
  finish(BUNDLE, ['service', ...threads.map((file) => basename(file, '.ts'))]);
}

function bundleThreads(entryPoints, outdir, plugins = []) {
  return build({
    ...SHORT,
    outdir,
    entryPoints,
    entryNames: '[name]',
    external: [...LEFT_OUT, 'piscina'], // which has loaded a part of itself in the thread
    plugins: [latePackages, besideInstalled, ...plugins],
  });
}

const CLUSTER_BUNDLE = join(ROOT, 'cluster/dist/bundle');

/** The package windlass-cluster: a function of lib/seam.ts, and its threads, which have in them what they use of lib/. */
async function bundleCluster() {
  const threads = threadPrograms('cluster/lib');
  await Promise.all([
    build({
      ...SHORT,
      outdir: CLUSTER_BUNDLE,
      entryPoints: ['cluster/lib/cluster.ts'],
      packages: 'external',
      banner: { js: `module.exports=(seam)=>{const module={exports:{}};${PROGRAM.banner.js}` },
      footer: { js: 'return module.exports};' },
      plugins: [givenSeam],
    }),
    bundleThreads(threads, CLUSTER_BUNDLE, [onlyTaken]),
  ]);
  finish(CLUSTER_BUNDLE, ['cluster', ...threads.map((file) => basename(file, '.ts'))]);
}

/** In the service's bundle, in place of cluster/: the package, which may be installed or not. */
const clusterPackage = {
  name: 'cluster-package',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.\/cluster\/lib\/cluster\.ts$/ }, () => ({ path: 'cluster', namespace: 'package' }));
    onLoad({ filter: /.*/, namespace: 'package' }, () => ({
      contents: "import * as seam from './lib/seam.ts'; export const { cluster } = require('windlass-cluster')(seam);",
      resolveDir: ROOT,
    }));
  },
};

const givenSeam = {
  name: 'given-seam',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /[\\/]lib[\\/]seam\.ts$/ }, () => ({ path: 'seam', namespace: 'given' }));
    onLoad({ filter: /.*/, namespace: 'given' }, () => ({ contents: 'module.exports = seam;' }));
  },
};

/** No module of lib/ is imported for an effect, so what is not used of the seam is left out. */
const onlyTaken = {
  name: 'only-taken',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) =>
      path.endsWith('.ts') ? { path: join(resolveDir, path), sideEffects: false } : null,
    );
  },
};

/** Makes programs lighter, and puts beside them what they load. */
function finish(folder, names) {
  for (const name of names) {
    const file = join(folder, `${name}.cjs`);
    writeFileSync(file, inAscii(lightBuiltins(readFileSync(file, 'utf8'))));
  }
  copyFileSync(PRIMITIVES, join(folder, 'primitives.wasm'));
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
  copyFileSync(PRIMITIVES, join(ROOT, 'dist/test/support/primitives.wasm'));
}

const THREAD = /new URL\('\.\/([\w-]+)\.js', import\.meta\.url\)/g;

/** The threads that modules of a folder start. In a bundle such a URL leads nowhere, so each goes through `threadFile`. */
function threadPrograms(folder) {
  return globSync(`${folder}/**/*.ts`, { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [...text.matchAll(THREAD)].map(([url, name]) => {
      if (!text.includes(`threadFile(${url})`)) throw new Error(`${file}: ${url} needs threadFile(…)`);
      return join(dirname(file), `${name}.ts`);
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await Promise.all([
    bundleClient(join(ROOT, 'dist/bin/client.cjs')),
    bundleService(),
    bundleCluster(),
    bundleTestThread(),
  ]);
}
