/** Where a PostgreSQL is, as a setting names it. */
import type { SettingType } from './setting-types.ts';

export interface PostgresLocation {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** What its tables are in. */
  readonly schema: string;
  /** Whether to use TLS, and check whose certificate it is. */
  readonly tls: boolean;
}

const FORM =
  'postgres://user:password@host:5432/database, with ?sslmode=verify-full for TLS and ?schema=name for tables in that schema';
const NAME = /^\w{1,63}$/;

export const postgresLocation: SettingType<PostgresLocation> = {
  name: 'URL',
  expects: FORM,
  secret: true, // it may have a password
  parse: (text) => {
    const given = new URL(text);
    const database = decodeURIComponent(given.pathname.slice(1));
    const { sslmode = 'disable', schema = 'public', ...others } = Object.fromEntries(given.searchParams);
    const scheme = given.protocol === 'postgres:' || given.protocol === 'postgresql:';
    if (!scheme || given.hostname === '' || database === '' || Object.keys(others).length > 0 || given.hash !== '')
      throw new Error('not a location');
    if (!NAME.test(schema) || (sslmode !== 'disable' && sslmode !== 'verify-full')) throw new Error('not a parameter');
    return {
      host: given.hostname,
      port: Number(given.port || 5432),
      user: decodeURIComponent(given.username) || 'postgres',
      password: decodeURIComponent(given.password),
      database,
      schema,
      tls: sslmode === 'verify-full',
    };
  },
};
