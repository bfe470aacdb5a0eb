import type { Address } from './config/setting-types.ts';

/** `host:port`, as in a setting. */
export function formatAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** How a browser on this machine reaches an address: "every interface" is not a destination. */
export function localUrl({ host, port }: Address): string {
  const local = host === '::' || host === '0.0.0.0' ? '127.0.0.1' : host;
  return `http://${formatAddress({ host: local, port })}`;
}
