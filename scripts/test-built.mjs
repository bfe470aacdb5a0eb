// node scripts/test-built.mjs [as npm test]: tests as they are built, on the Node that runs this. It says which that is.
import { testCommand } from './test-command.mjs';
import { allTests } from './test-files.mjs';

process.stdout.write(`Tests on Node ${process.versions.node}\n`);
process.exitCode = await testCommand(allTests());
