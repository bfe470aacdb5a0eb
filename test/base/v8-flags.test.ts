import { execFileSync } from 'node:child_process';
import { expect } from 'chai';

const MAKE = `process.stdout.write(new (require('node:vm').Script)('(function () { return 0; })').createCachedData().toString('hex'))`;
/**
 * As a service: `start` before its threads, `grown` once it is ready, `thread` while others start, `after` once they are up.
 * `same`, `asked` and `later`: whether it refuses what was made once it was ready, then, from the first question, and when threads are up.
 */
const USE = `
  import { Script } from 'node:vm';
  import { compileSooner, expectThread, useOwnFlags, keepHeapsSmall } from ${JSON.stringify(new URL('../../lib/base/v8-flags.js', import.meta.url).href)};
  let nth = 0; // V8 knows a source that it has seen, and of others compares the length
  const script = (cachedData) => new Script(\`(function () { return \${++nth}; })\`, { cachedData });
  const refused = (data = Buffer.from(process.argv[1], 'hex')) => script(data).cachedDataRejected;
  keepHeapsSmall();
  compileSooner();
  const start = refused();
  useOwnFlags();
  const grown = refused();
  const unasked = script().createCachedData();
  const same = refused(unasked);
  compileSooner();
  const asked = refused(unasked);
  let up = false;
  expectThread(() => up);
  expectThread(() => true);
  const thread = refused();
  setTimeout(() => (up = true), 50);
  setTimeout(() => console.log(JSON.stringify({ start, grown, same, asked, thread, after: refused(), later: refused(unasked) })), 200);`;

describe('flags of a service', () => {
  it('let V8 take code stored without any, as that of Node’s own modules, at the start and while a thread starts', () => {
    const made = run(['-e', MAKE]);
    const flags = ['--min-semi-space-size=4', '--max-semi-space-size=4'];
    const told: unknown = JSON.parse(run([...flags, '--input-type=module', '-e', USE, made]));
    expect(told).to.deep.equal({
      start: false,
      grown: true,
      same: false,
      asked: true,
      thread: false,
      after: true,
      later: true,
    });
  });
});

function run(args: readonly string[]): string {
  return execFileSync(process.execPath, args, { encoding: 'utf8', env: {} });
}
