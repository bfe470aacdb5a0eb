// npm run pictures: renders the dashboards that the README shows, from the demo project, into docs/pictures.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, ROOT } from './steps.mjs';

const FOLDER = join(ROOT, 'docs/pictures');
const MOST_BYTES = 150 * 1024;
const PICTURES = [
  { dashboard: 'product-overview', colorScheme: 'light' },
  { dashboard: 'acquisition', colorScheme: 'dark' },
];
const WINDOW = { width: 1280, height: 900 };

build();
const { dataOf, readyDashboard, startDemoHost } = await built('demo-host');
const { allDrawn, SavedFiles } = await built('board-page');
mkdirSync(FOLDER, { recursive: true });
const files = new SavedFiles();
const host = await startDemoHost();
try {
  for (const picture of PICTURES) await take(picture);
} finally {
  files.remove();
  await host.stop();
}

async function take({ dashboard, colorScheme }) {
  const data = await dataOf(host.service, readyDashboard(`${dashboard}.yaml`));
  const page = await host.page({ colorScheme, viewport: WINDOW });
  await page.goto(files.save(dashboard, { mode: 'report', data }));
  await allDrawn(page);
  const session = await page.context().newCDPSession(page);
  const shot = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 80,
    clip: { x: 0, y: 0, ...WINDOW, scale: 2 },
  });
  const body = Buffer.from(shot.data, 'base64');
  const file = join(FOLDER, `${dashboard}.webp`);
  if (body.length > MOST_BYTES) throw new Error(`${file} has ${body.length} bytes, more than ${MOST_BYTES}`);
  writeFileSync(file, body);
  process.stdout.write(`${file}: ${body.length} bytes\n`);
}

/** A module of the browser tests, which have a host with the demo's data. */
function built(name) {
  return import(new URL(`../dist/test/browser/dashboards/${name}.js`, import.meta.url).href);
}
