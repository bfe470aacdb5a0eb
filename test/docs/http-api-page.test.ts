import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describeApi } from '../../lib/router/routes.ts';
import { record } from '../support/open-schemas.ts';

const PAGE = readFileSync('docs/http-api.md', 'utf8');

describe('docs/http-api.md', () => {
  it('names each limit once', () => {
    const [, section = ''] = PAGE.split('\n## Limits\n');
    const [table = ''] = section.split('\n## ');
    const names = [...table.matchAll(/^\| ([^|]+?) +\|/gm)].map(([, name]) => name);
    expect(names).to.include('projects of an organization');
    expect(names).to.deep.equal([...new Set(names)]);
  });

  it('says which requests take an Idempotency-Key', () => {
    const taking = Object.entries(record(describeApi()['paths'])).flatMap(([path, methods]) =>
      JSON.stringify(methods).includes('"Idempotency-Key"') ? [path] : [],
    );
    expect(taking).to.have.length.greaterThan(2);
    for (const path of taking) expect(path).to.match(/^\/(?:api\/admin|operator)\//);
    const told = PAGE.split('\n').find((line) => line.includes('accepts an `Idempotency-Key`')) ?? '';
    expect(told).to.include('/api/admin').and.include('/operator').and.include('with a session ignore it');
  });

  it('says that tokens of a removed member stay', () => {
    const told = PAGE.split('\n').find((line) => line.startsWith('**Members.**')) ?? '';
    expect(told).to.include('Access tokens they made keep working').and.include('`created_by`');
  });
});
