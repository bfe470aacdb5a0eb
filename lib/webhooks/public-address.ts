/** Which addresses a message may go to. A name is looked up once, and the connection uses the address that was checked. */
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The receiver is on a private network: nothing is sent there unless the host allows it. */
export class PrivateAddress extends Error {
  constructor() {
    super('the address is private: WINDLASS_WEBHOOK_PRIVATE allows it');
    this.name = 'PrivateAddress';
  }
}

/** Throws PrivateAddress for a host that is a private address, as those are not looked up. */
export function checkHost(hostname: string): void {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 && !isPublic(bare)) throw new PrivateAddress();
}

/** Like `dns.lookup`, without private addresses. */
export const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '');
    const outside = addresses.filter(({ address }) => isPublic(address));
    const [first] = outside;
    if (first === undefined) return callback(new PrivateAddress(), '');
    if (options.all === true) callback(null, outside);
    else callback(null, first.address, first.family);
  });
};

/** Whether it is on the public internet: not loopback, private, link-local, shared, multicast, nor a tunnel to one of these. */
function isPublic(address: string): boolean {
  return ipaddr.process(address).range() === 'unicast';
}
