/** The address under which a page's reader reaches this host, for commands to copy. */
import type { IncomingMessage } from 'node:http';
import type { RouterContext } from '../context.ts';

const MAX_HOST_LENGTH = 253; // characters of a DNS name
const NAME = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i;
const IPV6 = /^\[[0-9a-f:.]+\](?::\d{1,5})?$/i;

/**
 * WINDLASS_URL if it is set. Otherwise the browser's Host header, if it is a plain name with a port: it is the client's text.
 * Else the address that the service listens on.
 */
export function hostAddress(
  request: IncomingMessage,
  { config, clients, publicUrl }: Pick<RouterContext, 'clients' | 'config' | 'publicUrl'>,
): string {
  if (config.url !== null) return config.url;
  const { host } = request.headers;
  if (host === undefined || host.length > MAX_HOST_LENGTH || !(NAME.test(host) || IPV6.test(host))) return publicUrl();
  const secure = clients.of(request).trusted && request.headers['x-forwarded-proto'] === 'https';
  return `${secure ? 'https' : 'http'}://${host.toLowerCase()}`;
}
