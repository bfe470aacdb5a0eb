/** What of a ClickHouse keeps a node from starting, besides its tables. */
import { ConfigError } from '../base/config/setting-source.ts';
import { quoted } from './schema.ts';

/** The oldest that the tables and statements were tried with. */
const OLDEST = '26.7';
/** What the service does there. */
const RIGHTS = ['SELECT', 'INSERT', 'ALTER DELETE', 'ALTER CLEAR PROJECTION'] as const;
/** A clock that is further off counts times wrong: of events without one, of ids and of sessions. Milliseconds. */
const MOST_APART = 60_000;

type Ask = (sql: string) => Promise<unknown>;

/** Rejects with ConfigError for a ClickHouse that is too old. `ask` answers the first value of a statement. */
export async function checkVersion(ask: Ask): Promise<void> {
  const version = String(await ask('SELECT version()'));
  const [year = 0, month = 0] = version.split('.').map(Number);
  const [oldestYear = 0, oldestMonth = 0] = OLDEST.split('.').map(Number);
  if (year > oldestYear || (year === oldestYear && month >= oldestMonth)) return;
  throw new ConfigError(`WINDLASS_STORE: this is ClickHouse ${version}, and ${OLDEST} or newer is needed: upgrade it.`);
}

/** Rejects with ConfigError where the user may not do what the service does. */
export async function checkRights(ask: Ask, { user, database }: { user: string; database: string }): Promise<void> {
  for (const right of RIGHTS) {
    const on = `${right} ON ${quoted(database)}.*`;
    if (Number(await ask(`CHECK GRANT ${on}`)) === 1) continue;
    throw new ConfigError(`WINDLASS_STORE: user ${user} may not ${right}: run GRANT ${on} TO ${quoted(user)}.`);
  }
}

/** Rejects with ConfigError where the clocks differ. */
export async function checkClock(ask: Ask, now: () => number = Date.now): Promise<void> {
  const before = now();
  const time = Number(await ask('SELECT toUnixTimestamp64Milli(now64(3))'));
  const apart = Math.max(before - time, time - now());
  if (apart <= MOST_APART) return;
  const seconds = Math.round(apart / 1_000);
  throw new ConfigError(
    `WINDLASS_STORE: the clocks of this machine and of ClickHouse are ${seconds} s apart; synchronize them with a time server.`,
  );
}
