// Loaded by mocha before any test. Properties try the same cases in every run of `npm test`, so that what passes once passes
// again; `npm run test:long` looks for new ones with other seeds. WINDLASS_FUZZ_SEED: that seed, in either.
import fc from 'fast-check';

const { WINDLASS_FUZZ_SEED: seed, WINDLASS_TEST_TIMES: times } = process.env;
if (seed !== undefined || times === undefined) fc.configureGlobal({ seed: Number(seed ?? 1) });
