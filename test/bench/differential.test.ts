import { spawnSync } from 'node:child_process';
import { expect } from 'chai';

describe('npm run differential', () => {
  it('tells its options', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/bench/differential/run.js', '--help'], {
      encoding: 'utf8',
    });
    expect(stderr).to.equal('');
    expect(stdout).to.match(/^npm run differential -- \[options\]\n {2}--worlds N /);
    expect(status).to.equal(0);
  });
});
