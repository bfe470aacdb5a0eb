/** A real service, and `wl` with its address. */
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { wlInside } from './run-inside.ts';
import type { Finished } from './run-wl.ts';

export interface ClientService extends TestService {
  /** Runs `wl` against the service, with the secret key unless `env` has a different one. */
  wl(
    args: readonly string[],
    options?: { env?: Readonly<Record<string, string>>; input?: string | Buffer },
  ): Promise<Finished>;
  /** The JSON that `wl` prints. Throws when it fails. */
  json(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<unknown>;
  /** Environment variables for `wl`. */
  readonly env: Readonly<Record<string, string>>;
}

export async function startClientService(): Promise<ClientService> {
  return clientOf(await startTestService());
}

export function clientOf(service: TestService): ClientService {
  const env = { WINDLASS_HOST: service.url, WINDLASS_API_KEY: service.keys.secretKey };
  const run: ClientService['wl'] = (args, { env: more = {}, input } = {}) =>
    wlInside(args, { ...env, ...more }, input === undefined ? {} : { input });
  return {
    ...service,
    env,
    wl: run,
    json: async (args, more = {}) => {
      const { code, stdout, stderr } = await run(args, { env: more });
      if (code !== 0) throw new Error(`wl ${args.join(' ')}: exit ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}
