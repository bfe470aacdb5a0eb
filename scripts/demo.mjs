// The demo project of a first `npm start`: nine weeks of events of a small product, dashboards, and queries to try.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { tell } from './npm.mjs';
import { ROOT } from './steps.mjs';

const NAME = 'Demo';
/** As lib/server/service.ts has it. */
const OWNER = 'owner@localhost';

/** Creates the project "Demo" in the data folder of a running service, fills it, and prints three commands that work. */
export async function fillDemoProject({ url, data }) {
  const end = tell('Filling the demo project');
  const filled = await fill(url, data).finally(end);
  process.stdout.write(describe(url, ...filled));
}

/** The project, and what it got. */
async function fill(url, data) {
  const project = JSON.parse(wl(['admin', 'project', 'create', NAME, '--data', data, '--json']));
  const { fillDemo } = await import('../dist/scripts/demo/fill.js');
  const filled = await fillDemo({ host: url, secretKey: project.secret_key, now: Date.now() });
  const server = { WINDLASS_HOST: url, WINDLASS_API_KEY: project.secret_key };
  wl(['dashboard', 'sync', '--file', join(ROOT, 'public', 'dashboards')], server);
  return [project, filled];
}

/** A link that logs in once, within 10 minutes, and opens a dashboard of the demo if there is one. */
export function loginLink({ data }) {
  const { url } = JSON.parse(wl(['admin', 'login-link', '--email', OWNER, '--data', data, '--json']));
  const demo = JSON.parse(wl(['admin', 'project', 'list', '--data', data, '--json'])).find(({ name }) => name === NAME);
  if (demo === undefined) return url;
  return `${url}&return_to=/console/projects/${demo.id}/dashboards/product-overview`;
}

/** What a command prints. */
function wl(args, env = {}) {
  const options = { encoding: 'utf8', env: { ...process.env, ...env } };
  return execFileSync(process.execPath, [join(ROOT, 'dist', 'bin', 'wl.js'), ...args], options);
}

function describe(url, project, { events, people, users }) {
  const ask = (q) => `  curl -s ${url}/query -H 'X-API-Key: ${project.secret_key}' -d '${JSON.stringify({ q })}'`;
  return [
    '',
    `Project "${NAME}" (${project.id}) has ${events.toLocaleString('en')} events of ` +
      `${people.toLocaleString('en')} people, ${users.toLocaleString('en')} of them with an account, and five dashboards. Ask it:`,
    `  public key  ${project.public_key}`,
    `  secret key  ${project.secret_key}`,
    '',
    ask('page_view | last 14d | unique by day'),
    ask('funnel page_view -> signup -> activate -> purchase | last 6w'),
    ask('retention signup returning any | last 6w | by week'),
    '',
  ].join('\n');
}
