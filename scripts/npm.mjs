// Runs the user's own npm, and tells how long it takes. Must run on every Node since 16.
import { spawn } from 'node:child_process';

/** Never a script of a package, no advertising, and no minutes of retries where there is no network. */
const OPTIONS = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--json',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=4000',
];
const CLEAR_LINE = '\r\u001B[K';

/**
 * `npm ci` in `folder`. `text` says what for: one line on stderr, on a terminal with the seconds it has taken.
 * Answers null, or in a sentence why it failed.
 */
export async function npmCi(text, folder) {
  const end = tell(text);
  try {
    return await run(folder);
  } finally {
    end();
  }
}

/** A message that ends the script in place of a stack trace. */
export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function run(folder) {
  const [command, leading, options] = npm();
  const child = spawn(command, [...leading, 'ci', ...OPTIONS], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  process.once('exit', () => child.kill()); // a script that fails leaves nothing running
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

/** The npm that runs this, on the Node that runs this; else the one in PATH: `[command, its first arguments, options of spawn]`. */
export function npm() {
  const program = process.env.npm_execpath || '';
  if (/npm-cli\.c?js$/.test(program)) return [process.execPath, [program], {}];
  return ['npm', [], { shell: process.platform === 'win32' }];
}

/** npm answers mistakes as JSON, between lines of its own. */
function reason(answer, said) {
  try {
    const { code, summary } = JSON.parse(answer.slice(answer.indexOf('{'))).error;
    return `npm says ${[code, summary].filter(Boolean).join(': ').replace(/\s+/g, ' ').trim()}`;
  } catch {
    return said.trim(); // an npm that died before it could answer: whatever it wrote
  }
}

/** What ends the line that counts seconds. */
let endLine = () => undefined;

/** Writes a line; on a terminal, again with each second, until it ends or a next line begins. Answers what ends it. */
function tell(text) {
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
