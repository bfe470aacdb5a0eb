// Mocha's reporter in the processes of test-run.mjs: sends what happens over IPC and prints nothing. With WINDLASS_TEST_SHOW it
// is the spec reporter as well; the process that adds up always prints the failures.
const { reporters, utils } = require('mocha');

const Shown = process.env.WINDLASS_TEST_SHOW ? reporters.Spec : reporters.Base;

module.exports = class extends Shown {
  constructor(runner, options) {
    super(runner, options);
    runner.on('test', (test) => process.send({ begun: test.titlePath() }));
    runner.on('pass', () => process.send({ passed: true }));
    runner.on('fail', (test, error) => process.send({ failed: { title: test.titlePath(), errors: errorsOf(error) } }));
    runner.once('end', () => process.send({ ended: true }));
  }

  epilogue() {}
};

function errorsOf(error) {
  return [error, ...(error.multiple ?? [])].map((one) => plain(one, new Set()));
}

/** What mocha prints of an error, as text: both sides, and its cause. `seen`: errors around this one. */
function plain(error, seen) {
  const { message, stack, uncaught, cause } = error;
  seen.add(error);
  const text = { message: message ?? utils.stringify(error), stack: stack ?? '', uncaught, showDiff: false };
  if (cause && !seen.has(cause)) text.cause = plain(cause, seen);
  if (!reporters.Base.showDiff(error)) return text;
  const [actual, expected] = [error.actual, error.expected].map((side) =>
    utils.isString(side) ? side : utils.stringify(side),
  );
  return { ...text, showDiff: true, actual, expected };
}
