// node scripts/test-built.mjs [as npm test]: runs the built tests on the current Node, and prints which that is.
import { testCommand } from './test-command.mjs';
import { allTests } from './test-files.mjs';

process.stdout.write(`Tests on Node ${process.versions.node}\n`);
process.exitCode = await testCommand(allTests());
