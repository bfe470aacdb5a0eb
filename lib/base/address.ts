import type { Address } from './config/setting-types.ts';

/** `host:port`, as a setting is written. */
export function formatAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Where a browser on this machine finds an address: "every interface" is no place to go to. */
export function localUrl({ host, port }: Address): string {
  const local = host === '::' || host === '0.0.0.0' ? '127.0.0.1' : host;
  return `http://${formatAddress({ host: local, port })}`;
}
