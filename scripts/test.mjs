// npm test [-- [part of a file's name …] [--spec GLOB] [--grep TEXT] [--jobs N]]
// Runs all tests but those in a browser (`npm run test:browser`), in several processes, and prints the counts at the end. With
// WINDLASS_TEST_SUMMARY it also writes them to the file named there.
import { build } from './steps.mjs';
import { testCommand } from './test-command.mjs';
import { allTests } from './test-files.mjs';

build();
process.exitCode = await testCommand(allTests());
