import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { runProgram } from '../cli/run-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('npm start on an address that is taken', () => {
  let server: Server;
  let taken: string;
  let checkout: string;
  before(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    taken = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    // A checkout that cannot fetch, install or build: the script must not get that far.
    checkout = temporaryFolder();
    mkdirSync(join(checkout, 'scripts'));
    for (const name of ['start', 'free-addresses', 'prepare', 'provide-node', 'npm', 'root']) {
      copyFileSync(`scripts/${name}.mjs`, join(checkout, 'scripts', `${name}.mjs`));
    }
  });
  after(() => server.close());

  const start = (args: readonly string[], env: Readonly<Record<string, string>>) =>
    runProgram(process.execPath, ['scripts/start.mjs', ...args], { env: { PATH: '', ...env }, cwd: checkout });

  it('says so before anything is fetched or installed, however the address is given', async () => {
    const free = '127.0.0.1:0';
    const cases: [string[], Record<string, string>, string][] = [
      [['--addr', taken, '--metrics-addr', free], {}, 'WINDLASS_ADDR'],
      [[`--addr=${taken}`], { WINDLASS_ADDR: free }, 'WINDLASS_ADDR'],
      [[], { WINDLASS_ADDR: taken, WINDLASS_METRICS_ADDR: 'none' }, 'WINDLASS_ADDR'],
      [['--addr', free], { WINDLASS_METRICS_ADDR: taken }, 'WINDLASS_METRICS_ADDR'],
    ];
    for (const [args, env, variable] of cases) {
      const flag = variable === 'WINDLASS_ADDR' ? '--addr' : '--metrics-addr';
      expect(await start(args, env), args.join(' ')).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: `${variable}: cannot listen on ${taken}: something else listens there. For another address: npm start -- ${flag} 127.0.0.1:0\n`,
      });
    }
    expect(existsSync(join(checkout, '.node'))).to.equal(false);
  });
});
