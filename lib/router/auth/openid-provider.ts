/** Login with an OpenID Connect provider: its metadata is fetched for the first login and cached for a while. */
import { HOUR_MS } from '../../base/day.ts';
import { monotonic } from '../../base/monotonic.ts';
import {
  type ClientAuth,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type Configuration,
  type IDToken,
} from 'openid-client';
import type { OpenIdProvider } from '../../base/config/auth-providers.ts';
import type { LoginIdentity } from '../../control/types.ts';
import {
  LoginRefused,
  ProviderTrouble,
  type LoginProvider,
  type LoginSecrets,
  translated,
  providerFetch,
  REQUEST_SECONDS,
} from './login-provider.ts';

interface Metadata {
  readonly configuration: Promise<Configuration>;
  readonly askedAt: number;
}

export class OpenIdLogin implements LoginProvider {
  readonly #provider: OpenIdProvider;
  #metadata: Metadata | null = null;

  constructor(provider: OpenIdProvider) {
    this.#provider = provider;
  }

  async authorizationUrl({ state, nonce, verifier }: LoginSecrets, redirectUri: string): Promise<URL> {
    return buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: redirectUri,
      scope: this.#provider.scopes,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  async identify(callback: URL, { state, nonce, verifier }: LoginSecrets): Promise<LoginIdentity> {
    const configuration = await this.#configuration();
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
    const tokens = await translated(authorizationCodeGrant(configuration, callback, checks));
    const claims = tokens.claims();
    if (claims === undefined) throw new LoginRefused('failed', 'there is no ID token');
    const { iss, sub } = claims;
    // OpenID Connect allows no longer subject.
    if (sub.length > 255) throw new LoginRefused('failed', 'the subject is longer than 255');
    return { issuer: iss, subject: sub, ...(await personOf(configuration, claims, tokens.access_token)) };
  }

  /** One request for all who wait; after a failure, a new one. */
  #configuration(): Promise<Configuration> {
    const now = monotonic();
    const known = this.#metadata;
    // How long metadata is trusted, ms. openid-client fetches keys again when it meets an unknown one.
    if (known !== null && now - known.askedAt < HOUR_MS) return known.configuration;
    const asked: Metadata = { configuration: discover(this.#provider), askedAt: now };
    this.#metadata = asked;
    asked.configuration.catch(() => {
      if (this.#metadata === asked) this.#metadata = null;
    });
    return asked.configuration;
  }
}

type Person = Pick<LoginIdentity, 'email' | 'emailVerified' | 'name'>;

/** Takes the address and whether it is proven from one source: only together do they mean anything. */
async function personOf(configuration: Configuration, claims: IDToken, accessToken: string): Promise<Person> {
  const asks = claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
  const told: IDToken | Awaited<ReturnType<typeof fetchUserInfo>> = asks
    ? await translated(fetchUserInfo(configuration, accessToken, claims.sub))
    : claims;
  return {
    email: textOf(told['email']),
    emailVerified: told['email_verified'] === true,
    name: textOf(told['name']) ?? textOf(claims['name']),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

async function discover({ issuer, clientId, clientSecret }: OpenIdProvider): Promise<Configuration> {
  const server = new URL(issuer);
  const insecure = server.protocol === 'http:' ? [allowInsecureRequests] : []; // loopback only: the settings allow no other
  try {
    const configuration = await discovery(server, clientId, clientSecret, authenticationWith(clientSecret), {
      // Checks signatures of ID tokens too; otherwise openid-client relies on TLS alone.
      execute: [...insecure, enableNonRepudiationChecks],
      timeout: REQUEST_SECONDS,
      [customFetch]: providerFetch,
    });
    buildAuthorizationUrl(configuration, {}); // throws if there is no safe place to send browsers to
    return configuration;
  } catch (error) {
    throw error instanceof Error ? new ProviderTrouble(`its metadata cannot be used: ${lowest(error).message}`) : error;
  }
}

/** Every server must accept Basic; the body only if metadata lists it and not Basic. */
function authenticationWith(clientSecret: string): ClientAuth {
  const basic = ClientSecretBasic(clientSecret);
  const post = ClientSecretPost(clientSecret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const usesPost = methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
    (usesPost ? post : basic)(server, client, body, headers);
  };
}

function lowest(error: Error): Error {
  return error.cause instanceof Error ? lowest(error.cause) : error;
}
