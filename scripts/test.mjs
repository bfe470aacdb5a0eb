// npm test [-- [part of a file's name …] [--spec GLOB] [--grep TEXT] [--jobs N]]
// All tests but those in a browser (`npm run test:browser`), in several processes, and the counts at the end. With
// WINDLASS_TEST_SUMMARY they are also written to the file it names.
import { build } from './steps.mjs';
import { testCommand } from './test-command.mjs';
import { allTests } from './test-files.mjs';

build();
process.exitCode = await testCommand(allTests());
