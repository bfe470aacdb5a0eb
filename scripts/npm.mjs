// Runs the user's own npm and shows how long it takes. Must run on every Node since 16.
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';

/** No package scripts, no advertising, and no minutes of retries without a network. */
const OPTIONS = [
  '--ignore-scripts',
  '--include=dev', // NODE_ENV=production leaves out what builds
  '--include=optional', // native modules
  '--no-audit',
  '--no-fund',
  '--json',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=4000',
];
const CLEAR_LINE = '\r\u001B[K';

/**
 * Runs `npm ci` in `folder`. `text` says what for: one line on stderr, on a terminal with the seconds taken.
 * Resolves to null, or to a sentence that says why it failed.
 */
export async function npmCi(text, folder) {
  const end = tell(text);
  try {
    return await run(folder);
  } finally {
    end();
  }
}

/** Ends the script with a message instead of a stack trace. */
export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function run(folder) {
  const { command, leading, options } = npm();
  const child = spawn(command, [...leading, 'ci', ...OPTIONS], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  process.once('exit', () => child.kill()); // a failing script leaves nothing running
  let [answer, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk) => (answer += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk) => (said += chunk));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(`npm cannot be run: ${error.message}`));
    child.on('close', (code, signal) =>
      resolve(code === 0 ? null : reason(answer, said) || `npm ended with ${signal || code}`),
    );
  });
}

/** The npm that runs this, on the running Node; else the one in PATH: the command, its first arguments, options of spawn. */
export function npm() {
  const program = process.env.npm_execpath || '';
  if (/npm-cli\.c?js$/.test(program)) return { command: process.execPath, leading: [program], options: {} };
  return { command: 'npm', leading: [], options: { shell: process.platform === 'win32' } };
}

/** `npm pack`: makes the packages of folders in another folder; no script of theirs runs. Returns the files; throws where npm fails. */
export function packInto(destination, folders) {
  const { command, leading, options } = npm();
  const args = [...leading, 'pack', '--json', '--ignore-scripts', '--pack-destination', destination, ...folders];
  // An npm that runs this one passes its own options on (--dry-run, --workspace), which are not meant for it.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name)));
  const said = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env, ...options });
  return JSON.parse(said).map(({ filename }) => join(destination, filename));
}

/** npm reports errors as JSON, between other lines of its output. */
function reason(answer, said) {
  try {
    const { code, summary } = JSON.parse(answer.slice(answer.indexOf('{'))).error;
    return `npm says ${[code, summary].filter(Boolean).join(': ').replace(/\s+/g, ' ').trim()}`;
  } catch {
    return said.trim(); // npm died before it could report: use whatever it wrote
  }
}

/** Ends the line that counts seconds. */
let endLine = () => undefined;

/** Writes a line; on a terminal, again every second, until it ends or another line begins. Returns the function that ends it. */
export function tell(text) {
  if (!process.stderr.isTTY) {
    process.stderr.write(`${text}\n`);
    return () => undefined;
  }
  endLine();
  const start = Date.now();
  const draw = () => process.stderr.write(`${CLEAR_LINE}${text} … ${Math.round((Date.now() - start) / 1000)} s`);
  process.stderr.write(text);
  const timer = setInterval(draw, 1000);
  const end = () => {
    clearInterval(timer);
    if (endLine !== end) return;
    process.stderr.write('\n');
    endLine = () => undefined;
  };
  endLine = end;
  return end;
}
