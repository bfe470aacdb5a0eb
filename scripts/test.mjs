// npm test [-- mocha's options; --spec 'dist/test/control/**/*.test.js' runs those alone]
// With WINDLASS_TEST_SUMMARY, the counts are written to the file it names.
import { build, runTool, TESTS } from './steps.mjs';

const reporter = process.env.WINDLASS_TEST_SUMMARY ? ['--reporter', 'scripts/reporter.cjs'] : [];

const args = process.argv.slice(2);
const spec = args.some((arg) => arg.startsWith('--spec')) ? [] : ['--spec', TESTS];

build();
process.exitCode = runTool('mocha/bin/mocha.js', [...reporter, ...spec, ...args]);
