import { expect } from 'chai';
import { AppError } from '../../../lib/base/errors.ts';
import { checkPostgres, type PostgresFacts } from '../../lib/postgres/postgres-engine.ts';

const NOW = 1_800_000_000_000;
const GOOD: PostgresFacts = { version: 150_004, encoding: 'UTF8', time: NOW, schema: 'public' };

function problem(facts: Partial<PostgresFacts>): string {
  try {
    checkPostgres({ ...GOOD, ...facts }, [NOW, NOW + 10]);
    return 'none';
  } catch (error) {
    expect(error).to.be.instanceOf(AppError);
    const { message, hints } = (error as AppError).data;
    return `${message}: ${hints?.join()}`;
  }
}

describe('a PostgreSQL that a node looks at before it starts', () => {
  it('is 15 or newer, with texts in UTF-8, a schema, and about the same time', () => {
    for (const facts of [
      {},
      { version: 150_000 },
      { version: 180_001 },
      { time: NOW - 60_000 },
      { time: NOW + 60_010 },
    ])
      expect(problem(facts)).to.equal('none');
    expect(problem({ version: 140_012 })).to.match(/it is PostgreSQL 14: use PostgreSQL 15 or newer$/);
    expect(problem({ encoding: 'LATIN1' })).to.match(
      /the encoding of the database is LATIN1: make another with CREATE DATABASE/,
    );
    expect(problem({ schema: null })).to.match(/the schema does not exist: make it with CREATE SCHEMA/);
    for (const time of [NOW - 61_000, NOW + 61_010])
      expect(problem({ time })).to.match(/clocks .* 61 s apart: synchronize them with a time server$/);
  });
});
