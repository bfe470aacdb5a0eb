import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runProgram } from './run-program.ts';
import { wl, type Finished } from './run-wl.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('the single executable of the client commands', () => {
  let file: string;
  let service: TestService;
  let env: Record<string, string>;
  const binary = (...args: readonly string[]): Promise<Finished> => runProgram(file, args, { env });

  before(async () => {
    file = join(temporaryFolder(), 'wl');
    const built = await runProgram(process.execPath, ['scripts/build-binary.mjs', file], {
      env: { PATH: process.env['PATH'] ?? '' },
    });
    expect(built.code, built.stderr).to.equal(0);
    expect(built.stdout.trim().split('\n').at(-1)).to.equal(file);
    service = await startTestService();
    await service.post('/track', { events: [{ event_type: 'signup' }, { event_type: 'signup' }] });
    // Nothing to find: no Node in PATH, no configuration.
    env = {
      PATH: '/nonexistent',
      HOME: temporaryFolder(),
      WINDLASS_HOST: service.url,
      WINDLASS_API_KEY: service.keys.secretKey,
    };
  });
  after(() => service.stop());

  it('tells its version and its help', async () => {
    expect(await binary('version')).to.deep.equal({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(await binary('query', '--help')).to.deep.equal(await wl(['query', '--help']));
    expect(await binary('help', 'query')).to.deep.equal(await wl(['help', 'query']));
  });

  it('speaks to a server', async () => {
    const { code, stdout, stderr } = await binary('query', 'signup | count');
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(JSON.parse(stdout)).to.deep.equal([{ count: 2 }]);
    expect((await binary('track', 'signup')).code).to.equal(0);
    expect((await binary('query', 'signup', '--format', 'csv')).stdout).to.equal('count\r\n3\r\n');
    expect((await binary('__complete', 'zsh', 'wl inspect s')).stdout).to.equal('words\nsignup\tevent\n');
  });

  it('says where the commands of the server are', async () => {
    for (const args of [
      ['serve', '--data', 'x'],
      ['admin', 'org', 'list', '--json'],
      ['serve', '--help'],
    ]) {
      const { code, stdout, stderr } = await binary(...args);
      expect([code, stdout], args.join(' ')).to.deep.equal([1, '']);
      expect(stderr)
        .to.include(`\`wl ${args[0]}\``)
        .and.include('npm install --global ./windlass-')
        .and.not.include('bug');
    }
  });
});
