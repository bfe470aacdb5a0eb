#!/usr/bin/env node
import { main } from '../lib/cli/main.ts';
import { Terminal } from '../lib/cli/terminal.ts';

// Not process.exit: what is written must get out first.
process.exitCode = await main(process.argv.slice(2), new Terminal(process.stdout, process.stderr));
