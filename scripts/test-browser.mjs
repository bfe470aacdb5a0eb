// npm run test:browser [-- mocha's options]: the pages of a host in Chromium. Without a browser it fails and says what to do.
// With WINDLASS_TEST_SUMMARY, the counts are written to the file it names.
import { BROWSER_TESTS, build, runMocha } from './steps.mjs';

build();
const { findChromium } = await import('../dist/test/browser/chromium.js');
try {
  process.stdout.write(`Browser: ${findChromium()}\n`);
  process.exitCode = runMocha(['--spec', BROWSER_TESTS]);
} catch (error) {
  process.stderr.write(`test:browser: ${error.message}\n`);
  process.exitCode = 1;
}
