/**
 * A real OpenID Connect provider on loopback, for logins in tests and browsers: one client, any port of 127.0.0.1 as its redirect
 * address, and a page that asks who one is.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Configuration } from 'oidc-provider';
import { Provider } from 'oidc-provider';
import type { Listening } from './listening.ts';
import { formOf, listenOnLoopback } from './listening.ts';

export interface ProviderPerson {
  readonly email?: string;
  readonly emailVerified?: boolean;
  readonly name?: string;
}

export interface ProviderOptions {
  /** By subject. May change while the provider runs. */
  readonly people: Record<string, ProviderPerson>;
  /** Windlass's names for the provider, which are part of its redirect addresses. */
  readonly names?: readonly string[];
  /** Further redirect addresses. */
  readonly redirectUris?: readonly string[];
  /** Puts address and name into the ID token; otherwise only the userinfo endpoint returns them. */
  readonly claimsInIdToken?: boolean;
}

const CLIENT_ID = 'windlass';
const CLIENT_SECRET = randomBytes(24).toString('base64url');
const INTERACTION = '/interaction/';
const SIGNING_KEY = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' });

export class OpenIdTestProvider {
  readonly issuer: string;
  readonly #listening: Listening;

  private constructor(listening: Listening) {
    this.issuer = listening.url;
    this.#listening = listening;
  }

  static async start(options: ProviderOptions): Promise<OpenIdTestProvider> {
    return new OpenIdTestProvider(await listenOnLoopback((url) => listener(url, options)));
  }

  /** Settings of a Windlass that offers logins here under a name. */
  settings(name = 'test'): Record<string, string> {
    const prefix = `WINDLASS_AUTH_${name.toUpperCase()}`;
    return {
      [`${prefix}_ISSUER`]: this.issuer,
      [`${prefix}_CLIENT_ID`]: CLIENT_ID,
      [`${prefix}_CLIENT_SECRET`]: CLIENT_SECRET,
    };
  }

  stop(): Promise<void> {
    return this.#listening.stop();
  }
}

function listener(
  issuer: string,
  options: ProviderOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const provider = new Provider(issuer, configurationFor(options));
  const answer = provider.callback();
  return (request, response) => {
    const path = request.url ?? '';
    const answered = path.startsWith(INTERACTION)
      ? interact(provider, options, request, response)
      : answer(request, response);
    answered.catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  };
}

function configurationFor({
  people,
  names = ['test'],
  redirectUris = [],
  claimsInIdToken = false,
}: ProviderOptions): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        application_type: 'native', // loopback redirect addresses match with any port
        redirect_uris: [...names.map((name) => `http://127.0.0.1/auth/${name}/cb`), ...redirectUris],
      },
    ],
    jwks: { keys: [{ ...SIGNING_KEY, use: 'sig', kid: 'one' }] },
    cookies: { keys: [randomBytes(24).toString('base64url')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !claimsInIdToken,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => INTERACTION + uid },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_context, subject) => {
      const person = people[subject];
      if (person === undefined) return undefined;
      const { email, emailVerified, name } = person;
      return {
        accountId: subject,
        claims: () => ({ sub: subject, email, email_verified: emailVerified, name }),
      };
    },
  };
}

/** GET: asks who it is. POST: `person` is the subject that logs in and consents; without one the login is denied. */
async function interact(
  provider: Provider,
  { people }: ProviderOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') return page(response, Object.keys(people));
  const subject = (await formOf(request)).get('person');
  if (subject === null) {
    return provider.interactionFinished(request, response, { error: 'access_denied', error_description: 'said no' });
  }
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId: subject, clientId: String(params['client_id']) });
  grant.addOIDCScope(String(params['scope']));
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { login: { accountId: subject }, consent });
}

function page(response: ServerResponse, subjects: readonly string[]): void {
  const buttons = subjects.map((subject) => `<button name="person" value="${subject}">${subject}</button>`);
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(
    `<!doctype html><html lang="en"><title>Who are you?</title><form method="post">${buttons.join('')}<button>No</button></form>`,
  );
}
