// The demo project of a first `npm start`: six weeks of events of a small product, and queries to try.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './steps.mjs';

/** Creates the project "Demo" in the data folder of a running service, fills it, and prints three commands that work. */
export async function fillDemoProject({ url, data }) {
  const wl = join(ROOT, 'dist', 'bin', 'wl.js');
  const args = [wl, 'admin', 'project', 'create', 'Demo', '--data', data, '--json'];
  const project = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  const { fillDemo } = await import('../dist/scripts/demo/fill.js');
  const filled = await fillDemo({ host: url, secretKey: project.secret_key, now: Date.now() });
  process.stdout.write(describe(url, project, filled));
}

function describe(url, project, { events, people, users }) {
  const ask = (q) => `  curl -s ${url}/query -H 'X-API-Key: ${project.secret_key}' -d '${JSON.stringify({ q })}'`;
  return [
    '',
    `Project "Demo" (${project.id}) has ${events.toLocaleString('en')} events of ` +
      `${people.toLocaleString('en')} people, ${users.toLocaleString('en')} of them with an account. Ask it:`,
    `  public key  ${project.public_key}`,
    `  secret key  ${project.secret_key}`,
    '',
    ask('page_view | last 14d | unique by day'),
    ask('funnel page_view -> signup -> activate -> purchase | last 6w'),
    ask('retention signup returning any | last 6w | by week'),
    '',
  ].join('\n');
}
