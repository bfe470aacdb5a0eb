import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { AppError, ERROR_STATUS } from '../../lib/base/errors.ts';

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
});
