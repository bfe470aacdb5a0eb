import ipaddr from 'ipaddr.js';

/** Whether a URL's host (`127.0.0.1`, `[::1]`, `localhost`) is this machine itself, with nobody listening in between. */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback';
}
