/** The machine and the settings. */
import os from 'node:os';
import { type Config, unknownSettings } from '../../../base/config/config.ts';
import { descriptorLimit, planDescriptors } from '../../../base/config/descriptors.ts';
import { VERSION } from '../../../base/version.ts';
import { gib } from './disk.ts';
import type { Finding } from './finding.ts';

/** Share of the machine's memory: the rest is for the file system cache and other programs. */
const MOST_MEMORY = 0.75;
const FEW_CONNECTIONS = 400;

export function versions(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const old = major < 22 || (major === 22 && minor < 12);
  const found = `Windlass ${VERSION}, Node ${process.versions.node}, ${os.type()} ${os.release()} ${os.arch()}`;
  return { check: 'versions', found, mend: old ? 'use Node 22.12 or later' : null };
}

export function settings(env: NodeJS.ProcessEnv): Finding {
  const unknown = unknownSettings(env);
  const set = Object.keys(env).filter((name) => name.startsWith('WINDLASS_')).length;
  const found = `${set} variables WINDLASS_… in this environment, which may not be that of the service`;
  const mend = unknown.length > 0 ? `fix these settings, which have no effect: ${unknown.join(', ')}` : null;
  return { check: 'settings', found, mend };
}

export function reachable({ addr, url, trustedProxies }: Config): Finding {
  const open = !/^(?:127\.|::1$|localhost$)/.test(addr.host);
  const found = `listens on ${addr.host}, public address ${url ?? 'not set'}`;
  if (open && (url === null || url.startsWith('http:'))) {
    const mend = 'put a TLS proxy in front and set WINDLASS_URL to its https address: keys travel unencrypted';
    return { check: 'address', found, mend };
  }
  const alone = !open && url !== null && url.startsWith('https:') && trustedProxies.length === 0;
  const mend = alone ? "set WINDLASS_TRUSTED_PROXIES to the proxy's addresses, or all clients have one address" : null;
  return { check: 'address', found, mend };
}

export function memory({ memory: bytes }: Config): Finding {
  const all = os.totalmem();
  const mend = bytes > all * MOST_MEMORY ? 'lower WINDLASS_MEMORY, or the kernel may kill the service' : null;
  return { check: 'memory', found: `WINDLASS_MEMORY ${gib(bytes)} of ${gib(all)}`, mend };
}

export function descriptors(config: Config): Finding {
  const limit = descriptorLimit();
  const { connections } = planDescriptors(limit, config);
  const mend = connections < FEW_CONNECTIONS ? 'raise `ulimit -n` (LimitNOFILE in systemd)' : null;
  return { check: 'descriptors', found: `${limit}, of which ${connections} for connections`, mend };
}
