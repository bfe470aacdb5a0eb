import { expect } from 'chai';
import { ConfigError } from '../../../lib/base/config/setting-source.ts';
import { checkClock, checkRights, checkVersion } from '../../lib/clickhouse/migrate.ts';

const answers = (value: unknown) => (): Promise<unknown> => Promise.resolve(value);

async function problem(check: Promise<void>): Promise<string> {
  const error = await check.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error === null) return 'none';
  expect(error).to.be.instanceOf(ConfigError);
  return (error as ConfigError).message;
}

describe('a ClickHouse that a node looks at before it starts', () => {
  it('is new enough', async () => {
    for (const version of ['26.7.2.1', '26.7', '26.11.1.4', '27.1.3.9'])
      expect(await problem(checkVersion(answers(version)))).to.equal('none');
    for (const version of ['26.6.9.9', '25.12.1.1', '9.9'])
      expect(await problem(checkVersion(answers(version))))
        .to.include(version)
        .and.match(/26\.7 or newer is needed: upgrade it/);
  });

  it('lets its user do what is needed', async () => {
    const of = { user: 'o`neil', database: 'shop' };
    expect(await problem(checkRights(answers(1), of))).to.equal('none');
    const mayNot = (right: string) => (sql: string) => Promise.resolve(sql.includes(right) ? 0 : 1);
    for (const right of ['SELECT', 'INSERT', 'ALTER DELETE', 'ALTER CLEAR PROJECTION'])
      expect(await problem(checkRights(mayNot(right), of))).to.equal(
        `WINDLASS_STORE: user o\`neil may not ${right}: run GRANT ${right} ON \`shop\`.* TO \`o\\\`neil\`.`,
      );
  });

  it('has about the same time', async () => {
    const now = Date.now();
    for (const apart of [-60_000, 0, 60_000])
      expect(await problem(checkClock(answers(now + apart), () => now))).to.equal('none');
    for (const apart of [-61_000, 61_000])
      expect(await problem(checkClock(answers(now + apart), () => now))).to.match(
        /61 s apart; synchronize them with a time server/,
      );
  });
});
