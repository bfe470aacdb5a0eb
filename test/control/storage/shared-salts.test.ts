import { join } from 'node:path';
import { expect } from 'chai';
import { sql } from 'kysely';
import { AppError } from '../../../lib/base/errors.ts';
import { ControlConnection } from '../../../lib/control/storage/connection.ts';
import { SharedSalt, SharedSalts, type TodaysSalt } from '../../../lib/control/storage/shared-salts.ts';
import { SqliteEngine } from '../../../lib/control/storage/sqlite-engine.ts';
import { Vault } from '../../../lib/control/storage/vault.ts';
import { refusal } from '../../support/refusal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { DAY, HOUR, newWorld, openControl, SECRET } from '../open-control.ts';

describe('the salt of the day that nodes share', () => {
  it('is one for all nodes, whoever asks first', async () => {
    const { control, folder, clock } = await newWorld();
    const nodes = [control, await openControl(folder, clock)];
    const [one, other] = await Promise.all(nodes.map(({ sharedSalts }) => sharedSalts.today()));
    expect(one?.salt).to.have.length(32).and.to.deep.equal(other?.salt);
    expect(one?.left).to.be.within(1, DAY);
  });

  it('is another the next day, which deletes it, and is nowhere in plain', async () => {
    const connection = new ControlConnection(new SqliteEngine(join(temporaryFolder(), 'control.db'), false));
    await connection.prepare();
    const at = (time: number) => new SharedSalts(connection, new Vault(SECRET), sql`${sql.lit(time)}`).today();
    const noon = Date.UTC(2026, 2, 1, 12);
    const [first, late, next] = [await at(noon), await at(noon + 12 * HOUR - 1), await at(noon + 12 * HOUR)];
    expect(first.left).to.equal(12 * HOUR);
    expect([late.salt, late.left]).to.deep.equal([first.salt, 1]);
    expect(next.salt).to.not.deep.equal(first.salt);
    const rows = await connection.db.selectFrom('daily_salts').selectAll().execute();
    expect(rows.map(({ day }) => day)).to.deep.equal(['2026-03-02']);
    expect(rows[0]?.sealed.includes(next.salt) || rows[0]?.sealed.includes(next.salt.toString('hex'))).to.equal(false);
    await connection.close();
  });

  it('is asked for once, and again when its day is over, also if nobody wants it', async () => {
    const answers = [of(1, 20), of(2, DAY)];
    const [first] = answers;
    const salt = new SharedSalt(() => Promise.resolve(answers.shift()!), fail);
    while (answers.length > 0) await new Promise((resolve) => setTimeout(resolve, 5)); // the timer takes both
    expect((await salt.salt)[0]).to.equal(2);
    expect(first?.salt[0], 'the old one').to.equal(0);
    expect(salt.salt, 'in memory').to.be.instanceOf(Buffer);
    salt.close();
  });

  it('is refused while the database is away, and there again when that is back', async () => {
    let isAway = true;
    const told: unknown[] = [];
    const away = new AppError('storage_unavailable', 'away');
    const salt = new SharedSalt(
      () => (isAway ? Promise.reject(away) : Promise.resolve(of(7, DAY))),
      (error) => told.push(error),
    );
    expect((await refusal(async () => salt.salt)).code).to.equal('storage_unavailable');
    expect(told).to.deep.equal([away]);
    isAway = false;
    expect((await salt.salt)[0]).to.equal(7);
    salt.close();
  });
});

const of = (first: number, left: number): TodaysSalt => ({ salt: Buffer.alloc(32, first), left });

function fail(error: unknown): never {
  throw error;
}
