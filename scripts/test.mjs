// npm test [-- mocha's options; --spec 'dist/test/control/**/*.test.js' runs those alone]
// With WINDLASS_TEST_SUMMARY, the counts are written to the file it names. Tests in a browser are `npm run test:browser`.
import { build, runMocha, TESTS } from './steps.mjs';

build();
process.exitCode = runMocha(TESTS);
