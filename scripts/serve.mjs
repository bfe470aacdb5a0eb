// Builds what has changed, and runs the service with the command line's options; a new data folder gets demo data.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fillDemoProject, loginLink } from './demo.mjs';
import { buildIfChanged, ROOT } from './steps.mjs';

buildIfChanged((text) => process.stderr.write(`${text}\n`));
const server = spawn(process.execPath, ['dist/bin/wl.js', 'serve', ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: ['inherit', 'pipe', 'inherit'],
});
// Ctrl-C reaches the server directly, as it is in the same process group: this script only has to outlive it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => server.kill('SIGTERM'));
server.on('exit', (code, signal) => {
  process.exitCode = signal ? 1 : (code ?? 1);
});

// The service prints its keys on the first start with a data folder, and one line when it is ready.
let firstStart = false;
for await (const line of createInterface({ input: server.stdout })) {
  if (line.startsWith('Log in with a link:')) continue; // it comes below
  process.stdout.write(`${line}\n`);
  firstStart ||= line.startsWith('First start.');
  const ready = / is ready on (?<url>\S+) \(data in (?<data>.+?)(, metrics on [^,]*)?\)$/.exec(line);
  if (!ready) continue;
  process.stdout.write('`wl` is `node dist/bin/wl.js` in this checkout.\n');
  if (firstStart) {
    await fillDemoProject(ready.groups).catch((error) => {
      process.stderr.write(`The demo project could not be filled; the service runs without it: ${error.message}\n`);
    });
  }
  try {
    process.stdout.write(`Open this to log in, once and within 10 minutes:\n  ${loginLink(ready.groups)}\n`);
  } catch (error) {
    process.stderr.write(`No login link could be made: ${error.message}\n`);
  }
}
