// npm test [-- mocha's options, or --spec 'dist/test/control/**/*.test.js']
// With WINDLASS_TEST_SUMMARY, the counts are written to the file it names.
import { build, runTool } from './steps.mjs';

const reporter = process.env.WINDLASS_TEST_SUMMARY ? ['--reporter', 'scripts/reporter.cjs'] : [];

build();
process.exitCode = runTool('mocha/bin/mocha.js', [...reporter, ...process.argv.slice(2)]);
