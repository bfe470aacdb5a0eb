import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { AppError, codeOf, ERROR_STATUS, firstOf } from '../../lib/base/errors.ts';

describe('the catalogue of errors', () => {
  it('is the table of docs/http-api.md', () => {
    const [, page = ''] = readFileSync('docs/http-api.md', 'utf8').split('\n## Errors\n');
    const documented = [...page.matchAll(/^\| `([a-z_]+)` +\| (\d{3}) +\|/gm)].map(([, code, status]) => [
      code,
      Number(status),
    ]);
    expect(documented).to.deep.equal(Object.entries(ERROR_STATUS));
  });

  it('survives a way through another thread as data', () => {
    const sent = new AppError('bad_query', 'wrong', { position: 3, hints: ['right'] });
    const arrived = AppError.from(structuredClone(sent.data));
    expect(arrived.data).to.deep.equal(sent.data);
    expect(arrived.message).to.equal('wrong');
  });

  it('is what went wrong first, where closing fails too', () => {
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
    const fail = (error: Error): never => {
      throw error;
    };
    const both = (): void => {
      using _ = { [Symbol.dispose]: () => fail(new Error('cannot be closed')) };
      fail(full);
    };
    let caught: unknown;
    try {
      both();
    } catch (error) {
      caught = error;
    }
    expect(caught).not.to.equal(full);
    expect([firstOf(caught), codeOf(caught), firstOf(full)]).to.deep.equal([full, 'ENOSPC', full]);
  });

  it('has the code of a removal that failed, for which Node has none', () => {
    const removal = (said: string): Error =>
      Object.assign(new Error(`, Unknown error: ${said} '/data/address'`), { code: '', errno: -4094, syscall: 'rm' });
    expect(codeOf(removal('Read-only file system'))).to.equal('EROFS');
    expect(codeOf(removal('Input/output error'))).to.equal('EIO');
    expect(codeOf(removal('Something else'))).to.equal('');
  });
});
