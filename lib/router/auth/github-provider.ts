/** Login with GitHub, which speaks OAuth 2 and identifies people through its REST API. */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  Configuration,
  customFetch,
  fetchProtectedResource,
} from 'openid-client';
import type { GithubProvider } from '../../base/config/auth-providers.ts';
import { isRecord } from '../../base/is-record.ts';
import { readJson } from '../../base/text/read-json.ts';
import type { LoginIdentity } from '../../control/types.ts';
import {
  LoginRefused,
  type LoginProvider,
  type LoginSecrets,
  translated,
  providerFetch,
  REQUEST_SECONDS,
} from './login-provider.ts';

const API_VERSION = '2022-11-28';

export class GithubLogin implements LoginProvider {
  readonly #provider: GithubProvider;
  readonly #configuration: Configuration;
  readonly #issuer: string;

  constructor(provider: GithubProvider) {
    const { url, clientId, clientSecret } = provider;
    this.#provider = provider;
    this.#issuer = `${url}/login/oauth`; // GitHub's own name in the answer's `iss`
    const server = {
      issuer: this.#issuer,
      authorization_endpoint: `${url}/login/oauth/authorize`,
      token_endpoint: `${url}/login/oauth/access_token`,
    };
    const configuration = new Configuration(server, clientId, clientSecret, ClientSecretPost(clientSecret));
    configuration.timeout = REQUEST_SECONDS;
    configuration[customFetch] = providerFetch;
    if (url.startsWith('http:')) allowInsecureRequests(configuration); // loopback only: the settings allow no other
    this.#configuration = configuration;
  }

  async authorizationUrl({ state, verifier }: LoginSecrets, redirectUri: string): Promise<URL> {
    return buildAuthorizationUrl(this.#configuration, {
      redirect_uri: redirectUri,
      scope: this.#provider.scopes,
      state,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  async identify(callback: URL, { state, verifier }: LoginSecrets): Promise<LoginIdentity> {
    const checks = { expectedState: state, pkceCodeVerifier: verifier };
    const { access_token: token } = await translated(authorizationCodeGrant(this.#configuration, callback, checks));
    const user = await this.#get('/user', token);
    if (!isRecord(user) || !Number.isSafeInteger(user['id'])) {
      throw new LoginRefused('failed', 'GitHub did not say who logged in');
    }
    const { id, name } = user;
    const email = primaryOf(await this.#get(`/user/emails?per_page=100`, token));
    // The number stays when an account is renamed; somebody else may then take the name.
    return {
      issuer: this.#issuer,
      subject: String(id),
      name: typeof name === 'string' && name !== '' ? name : null,
      ...email,
    };
  }

  /** The answer of the API; null when this token may not read it. */
  async #get(path: string, token: string): Promise<unknown> {
    const url = new URL(this.#provider.apiUrl + path);
    const headers = new Headers({ Accept: 'application/vnd.github+json', 'X-GitHub-Api-Version': API_VERSION });
    const response = await translated(fetchProtectedResource(this.#configuration, token, url, 'GET', null, headers));
    return response.status === 200 ? jsonOf(response) : null;
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return readJson(await response.text());
  } catch {
    throw new LoginRefused('failed', "GitHub's answer is not JSON");
  }
}

function primaryOf(emails: unknown): Pick<LoginIdentity, 'email' | 'emailVerified'> {
  const entries: readonly unknown[] = Array.isArray(emails) ? emails : [];
  for (const entry of entries) {
    if (!isRecord(entry) || entry['primary'] !== true || typeof entry['email'] !== 'string') continue;
    return { email: entry['email'], emailVerified: entry['verified'] === true };
  }
  return { email: null, emailVerified: false };
}
