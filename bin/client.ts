/** Runs the command line of this process. Also the entry of the bundle of client commands, so no top-level `await`. */
import { runLine, runProcess } from '../lib/cli/run-line.ts';

runProcess(runLine);
