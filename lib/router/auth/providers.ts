/** The configured identity providers by name. */
import type { AuthProvider } from '../../base/config/auth-providers.ts';
import { AppError } from '../../base/errors.ts';
import { GithubLogin } from './github-provider.ts';
import type { LoginProvider } from './login-provider.ts';
import { OpenIdLogin } from './openid-provider.ts';

const HOW_TO_SET = [
  'Set WINDLASS_AUTH_<NAME>_ISSUER, WINDLASS_AUTH_<NAME>_CLIENT_ID and WINDLASS_AUTH_<NAME>_CLIENT_SECRET for any OpenID Connect provider, or WINDLASS_AUTH_GITHUB_CLIENT_ID and WINDLASS_AUTH_GITHUB_CLIENT_SECRET for GitHub.',
  'Without a provider, `wl admin login-link --email …` on the server prints a link that logs in once.',
];

export class LoginProviders {
  readonly #byName: ReadonlyMap<string, LoginProvider>;

  constructor(providers: readonly AuthProvider[]) {
    this.#byName = new Map(providers.map((provider) => [provider.name, loginWith(provider)]));
  }

  /** Throws 503 `feature_disabled` for one that is not configured. */
  get(name: string): LoginProvider {
    const provider = this.#byName.get(name);
    if (provider !== undefined) return provider;
    if (this.#byName.size === 0) {
      throw new AppError('feature_disabled', 'No login provider is configured.', { hints: HOW_TO_SET });
    }
    const known = [...this.#byName.keys()].map((each) => `/auth/${each}`).join(', ');
    throw new AppError('feature_disabled', `This login provider is not configured. Configured: ${known}.`, {
      hints: HOW_TO_SET,
    });
  }
}

function loginWith(provider: AuthProvider): LoginProvider {
  return provider.kind === 'github' ? new GithubLogin(provider) : new OpenIdLogin(provider);
}
