import ipaddr from 'ipaddr.js';

const IPV6_NETWORK = 4; // groups: a /64 is one customer's, with 2^64 addresses to use

/** What counts as one address: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(ip: string): string {
  if (!ip.includes(':') || !ipaddr.IPv6.isValid(ip)) return ip;
  return ipaddr.IPv6.parse(ip).parts.slice(0, IPV6_NETWORK).join(':');
}
