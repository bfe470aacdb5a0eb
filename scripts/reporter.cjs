// Mocha's spec reporter, which also writes `{"passed", "failed"}` to the file that WINDLASS_TEST_SUMMARY names.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once('end', () => {
      const { passes, failures } = this.stats;
      writeFileSync(process.env.WINDLASS_TEST_SUMMARY, JSON.stringify({ passed: passes, failed: failures }));
    });
  }
};
