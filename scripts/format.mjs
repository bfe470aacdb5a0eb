// npm run format
import { runTool } from './steps.mjs';

process.exitCode = runTool('prettier/bin/prettier.cjs', ['--write', '.']);
