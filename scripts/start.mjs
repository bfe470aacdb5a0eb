// npm start [-- options of wl serve]: installs, builds and runs the service; a new data folder gets demo data.
import { spawn } from 'node:child_process';
import { build, ROOT } from './steps.mjs';

build();
const server = spawn(process.execPath, ['dist/bin/wl.js', 'serve', ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
});
// Ctrl-C reaches the server by itself, as it is in the same process group: this script only has to outlive it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => server.kill('SIGTERM'));
server.on('exit', (code, signal) => {
  process.exitCode = signal ? 1 : (code ?? 1);
});
