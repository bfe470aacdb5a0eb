import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { pino } from 'pino';
import { lineForPeople } from '../../lib/base/log.ts';
import { PseudoTerminal } from '../cli/pseudo-terminal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the log at a terminal', () => {
  function shown(write: (log: pino.Logger) => void): string {
    let text = '';
    const log = pino(
      { level: 'trace', base: null, timestamp: () => ',"time":"2026-11-22T08:41:12.027Z"' },
      { write: (line) => (text += stripVTControlCharacters(lineForPeople(line))) },
    );
    write(log);
    return text;
  }

  it('has the time of day, the level, the message and what belongs to it', () => {
    expect(shown((log) => log.info({ route: '/track', status: 200 }, 'answered'))).to.equal(
      '08:41:12.027 INFO  answered route="/track" status=200\n',
    );
    expect(shown((log) => log.warn('careful'))).to.equal('08:41:12.027 WARN  careful\n');
    expect(shown((log) => log.info({ n: 1 }))).to.equal('08:41:12.027 INFO  n=1\n');
  });

  it('has the stack of an error below its line', () => {
    const text = shown((log) =>
      log.error({ err: Object.assign(new Error('no\nroom'), { code: 'ENOSPC' }) }, 'not stored'),
    );
    expect(text).to.match(/^08:41:12\.027 ERROR not stored\n {4}Error: no\n {4}room\n {8}at /);
    expect(text).to.match(/\n {4}code="ENOSPC"\n$/);
  });

  it('lets no control character of a value reach the terminal', () => {
    expect(shown((log) => log.info({ name: '\u001B[2J\u0007' }, 'x'))).to.include(String.raw`name="\u001b[2J\u0007"`);
    expect(shown((log) => log.info({ name: '\u009B2J\u202Ex' }, 'x'))).to.include(String.raw`name="\u009b2J\u202ex"`);
  });

  it('lets none of a message or a stack reach it either, and no message makes another line', () => {
    const text = shown((log) =>
      log.error({ err: new Error('a\u001B[2J\u009Bb\r\nc') }, 'x\n08:41:12.027 INFO  y\u001B]0;z'),
    );
    const [line, ...stack] = text.split('\n');
    expect(line).to.equal(String.raw`08:41:12.027 ERROR x\n08:41:12.027 INFO  y\u001b]0;z`);
    expect(stack.slice(0, 2)).to.deep.equal([String.raw`    Error: a\u001b[2J\u009bb\u000d`, '    c']);
    for (const control of ['\u0007', '\u001b', '\u009b', '\r']) expect(text).to.not.include(control);
  });

  it('is what `wl serve` writes there', async () => {
    const data = temporaryFolder();
    const terminal = new PseudoTerminal(['serve', '--addr', '127.0.0.1:0', '--data', data, '--metrics-addr', 'none'], {
      env: { WINDLASS_BOGUS: '1' },
      columns: 200,
    });
    await terminal.shows('is ready on');
    terminal.type('\u0003');
    expect(await terminal.exited()).to.equal(0);
    expect(terminal.text).to.match(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}no such setting; .*setting="WINDLASS_BOGUS"$/m);
  });
});
