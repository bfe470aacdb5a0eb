/** Parses addresses, and reduces them to what a project may keep. */
import ipaddr from 'ipaddr.js';
import type { IpPolicy } from '../../../base/project.ts';

/** Most addresses. Each part is spelt in one way only, so the text is canonical already; making objects of it took 5 µs. */
const IPV4 = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;

/** The canonical spelling of an address: IPv4 in decimals (also if written as IPv6), IPv6 as in RFC 5952; null if it is none. */
export function parseIp(text: string): string | null {
  const address = addressOf(text);
  return address && spell(address);
}

/** What is stored of an address: all of it, all but its last IPv4 octet or last 80 IPv6 bits, or null. */
export function storedIp(text: string, policy: IpPolicy): string | null {
  if (policy === 'none') return null;
  if (IPV4.test(text)) return policy === 'full' ? text : `${text.slice(0, text.lastIndexOf('.'))}.0`;
  const address = addressOf(text);
  if (address === null) return null;
  if (policy === 'full') return spell(address);
  if (address instanceof ipaddr.IPv4) return new ipaddr.IPv4([...address.octets.slice(0, 3), 0]).toString();
  return new ipaddr.IPv6(address.parts.map((part, i) => (i < 3 ? part : 0))).toRFC5952String();
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function addressOf(text: string): Address | null {
  const bare = text.trim();
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  return ipaddr.IPv6.isValid(bare) ? ipaddr.process(bare) : null;
}

function spell(address: Address): string {
  // A zone names an interface of the machine that saw the address and means nothing elsewhere.
  return address instanceof ipaddr.IPv6 ? new ipaddr.IPv6(address.parts).toRFC5952String() : address.toString();
}
