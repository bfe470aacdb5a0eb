/** Where a ClickHouse is, as a setting names it. */
import type { SettingType } from './setting-types.ts';

export interface ClickHouseLocation {
  /** `http(s)://host:port` */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The cluster whose servers have the tables; null: the server alone. */
  readonly cluster: string | null;
}

const FORM =
  'clickhouse://user:password@host:8123/database, with clickhouses:// for TLS and ?cluster=name for a cluster';
const SCHEMES: ReadonlyMap<string, string> = new Map([['clickhouse:', 'http:'], ['clickhouses:', 'https:']]); // prettier-ignore
/** What a name may be: it is also part of paths in ZooKeeper. */
const NAME = /^\w{1,64}$/;

export const clickHouseLocation: SettingType<ClickHouseLocation> = {
  name: 'URL',
  expects: FORM,
  secret: true, // it may have a password
  parse: (text) => {
    const given = new URL(text);
    const scheme = SCHEMES.get(given.protocol);
    const database = given.pathname.slice(1);
    const cluster = given.searchParams.get('cluster');
    const others = [...given.searchParams.keys()].filter((name) => name !== 'cluster');
    if (scheme === undefined || given.host === '' || !NAME.test(database) || others.length > 0 || given.hash !== '')
      throw new Error('not a location');
    if (cluster !== null && !NAME.test(cluster)) throw new Error('not a cluster');
    return {
      url: `${scheme}//${given.host}`,
      user: decodeURIComponent(given.username) || 'default',
      password: decodeURIComponent(given.password),
      database,
      cluster,
    };
  },
};
