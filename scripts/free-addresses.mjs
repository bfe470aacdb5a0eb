// Checks that the service's addresses are free, before anything is installed. Must run on every Node since 16.
import { createServer } from 'node:net';
import { fail } from './npm.mjs';

/** As in lib/base/config/config.ts. */
const ADDRESSES = [
  { flag: '--addr', variable: 'WINDLASS_ADDR', initial: '127.0.0.1:8080' },
  { flag: '--metrics-addr', variable: 'WINDLASS_METRICS_ADDR', initial: '127.0.0.1:9464' },
];

/** Ends the script when something else listens there. The service itself reports any other problem with an address better. */
export async function refuseTakenAddresses(args, env) {
  for (const { flag, variable, initial } of ADDRESSES) {
    const text = optionOf(args, flag) || env[variable] || (env[`${variable}_FILE`] ? '' : initial);
    const found = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s/]*)):(\d{1,5})$/i.exec(text.trim());
    if (found && (await isTaken(found[1] || found[2] || '::', Number(found[3])))) {
      fail(
        `${variable}: cannot listen on ${text.trim()}: something else listens there. For another address: npm start -- ${flag} 127.0.0.1:0`,
      );
    }
  }
}

function optionOf(args, flag) {
  const i = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  if (i < 0) return '';
  return args[i] === flag ? args[i + 1] || '' : args[i].slice(flag.length + 1);
}

function isTaken(host, port) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(error.code === 'EADDRINUSE'));
    server.listen({ host, port }, () => server.close(() => resolve(false)));
  });
}
