import type { Options } from 'yargs';
import { describeSettings } from '../base/config/config.ts';
import { defineCommand, optional } from './command.ts';
import { runService } from './run-service.ts';

export const serve = defineCommand({
  usage: 'serve',
  summary: 'Run the server',
  examples: [
    ['wl serve', 'on 127.0.0.1:8080, with its data in ./data'],
    ['wl serve --addr 0.0.0.0:80 --data /var/lib/windlass', 'for everyone'],
  ],
  options: settingOptions(),
  completes: { data: 'file', 'geoip-file': 'file' },
  run: (args, terminal) => runService(flagsOf(args), terminal),
});

/** An option for every setting that is not a secret. */
function settingOptions(): Record<string, Options> {
  const options: Record<string, Options> = {};
  for (const { flag, name, expects, initial, help } of describeSettings()) {
    if (flag === null) continue;
    options[flag] = optional(`${help} (${name}: ${expects}; default ${initial})`);
  }
  return options;
}

function flagsOf(args: Readonly<Record<string, unknown>>): Record<string, string> {
  const flags: Record<string, string> = {};
  for (const { flag } of describeSettings()) {
    const value = flag === null ? undefined : args[flag];
    if (flag !== null && typeof value === 'string') flags[flag] = value;
  }
  return flags;
}
