/** Runs the command line of this process. Also the entry of the bundle of client commands, so no top-level `await`. */
import { runLine } from '../lib/cli/run-line.ts';
import { runProcess } from '../lib/cli/run-process.ts';

runProcess(runLine);
