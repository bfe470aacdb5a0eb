// npm run test:browser [-- as npm test]: tests a host's pages in Chromium. Without a browser it fails and says what to do. With
// WINDLASS_TEST_SUMMARY, it writes the counts to the file named there.
import { availableParallelism } from 'node:os';
import { build } from './steps.mjs';
import { testCommand } from './test-command.mjs';
import { browserTests } from './test-files.mjs';

build();
const { findChromium } = await import('../dist/test/browser/chromium.js');
try {
  process.stdout.write(`Browser: ${findChromium()}\n`);
  process.exitCode = await testCommand(browserTests(), availableParallelism()); // a browser keeps a processor busy
} catch (error) {
  process.stderr.write(`test:browser: ${error.message}\n`);
  process.exitCode = 1;
}
