/**
 * Login: identity providers by name, read from `WINDLASS_AUTH_<NAME>_…`. The name in lower case is the path segment of
 * `/auth/<provider>`. `github` is GitHub, which uses OAuth 2; every other is an OpenID Connect issuer.
 */
import { ConfigError, settingText } from './setting-source.ts';
import { type SettingType, line, secret, secureUrl } from './setting-types.ts';

export type AuthProvider = OpenIdProvider | GithubProvider;

interface Provider {
  /** Path segment: `a-z`, `0-9` and `_`. */
  readonly name: string;
  /** Shown to people: "Log in with <label>". */
  readonly label: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Separated by spaces. */
  readonly scopes: string;
}

export interface OpenIdProvider extends Provider {
  readonly kind: 'openid';
  readonly issuer: string;
}

/** `url` is for browser pages, `apiUrl` for the REST API; both without a trailing slash. */
export interface GithubProvider extends Provider {
  readonly kind: 'github';
  readonly url: string;
  readonly apiUrl: string;
}

interface Field {
  readonly type: SettingType<string>;
  /** The providers that have it: `all`, or those of one kind. */
  readonly of: 'all' | AuthProvider['kind'];
  readonly initial: string;
  readonly help: string;
}

const GITHUB = 'github';
const GITHUB_URL = 'https://github.com';
const GITHUB_API_URL = 'https://api.github.com';
const GITHUB_SCOPES = 'read:user user:email';
const OPENID_SCOPES = 'openid email profile';
const REQUIRED = 'required';
const MAX_TEXT = 500; // characters of a client id, scopes or label
const MAX_PROVIDERS = 20;
const MAX_NAME = 32; // characters
/** Other endpoints below /auth/. */
const RESERVED = new Set(['link', 'logout']);

const issuer: SettingType<string> = {
  ...secureUrl,
  expects: `${secureUrl.expects}, as the provider writes it (without /.well-known/…)`,
  parse: (text) => {
    // The discovery document's address would work too, but then nothing would be compared with its issuer.
    if (text.includes('/.well-known/')) throw new Error('not an issuer');
    return secureUrl.parse(text);
  },
};

/** Scopes are written as in RFC 6749. */
const scopes: SettingType<string> = {
  ...line(MAX_TEXT),
  expects: 'scopes separated by spaces, with "openid" for an OpenID provider',
  parse: (text) => {
    if (text.length > MAX_TEXT || !/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text)) {
      throw new Error('not scopes');
    }
    return text;
  },
};

const FIELDS = {
  ISSUER: { type: issuer, of: 'openid', initial: REQUIRED, help: 'Issuer of the OpenID Connect provider.' },
  CLIENT_ID: { type: line(MAX_TEXT), of: 'all', initial: REQUIRED, help: 'Client id that the provider gave.' },
  CLIENT_SECRET: { type: secret(1), of: 'all', initial: REQUIRED, help: 'Client secret that the provider gave.' },
  SCOPES: { type: scopes, of: 'all', initial: `${OPENID_SCOPES}; for GitHub ${GITHUB_SCOPES}`, help: 'What the login asks the provider for.' },
  LABEL: { type: line(40), of: 'all', initial: 'the name', help: 'What the login page calls the provider.' },
  API_URL: { type: secureUrl, of: 'github', initial: `${GITHUB_API_URL}; for GitHub Enterprise its URL and /api/v3`, help: 'Address of the REST API.' },
  URL: { type: secureUrl, of: 'github', initial: GITHUB_URL, help: 'Address of GitHub Enterprise.' },
} as const satisfies Readonly<Record<string, Field>>; // prettier-ignore

type FieldName = keyof typeof FIELDS;

const PREFIX = 'WINDLASS_AUTH_';
const VARIABLE = new RegExp(`^${PREFIX}([A-Z0-9_]+?)_(${Object.keys(FIELDS).join('|')})(?:_FILE)?$`);

/** A provider setting, for documentation. */
export interface ProviderSettingDescription {
  readonly name: string;
  readonly initial: string;
  readonly expects: string;
  readonly help: string;
}

/** The settings that a provider may have. */
export function describeProviderSettings(): readonly ProviderSettingDescription[] {
  return Object.entries<Field>(FIELDS).map(([field, { type, of, initial, help }]) => ({
    name: `${PREFIX}${of === 'github' ? GITHUB.toUpperCase() : '<NAME>'}_${field}`,
    initial,
    expects: type.expects,
    help,
  }));
}

export function isProviderSetting(variable: string): boolean {
  return VARIABLE.test(variable);
}

/** The providers in an environment, ordered by name. Throws ConfigError that names every wrong or missing setting. */
export function readAuthProviders(env: NodeJS.ProcessEnv): readonly AuthProvider[] {
  const problems: string[] = [];
  const providers: AuthProvider[] = [];
  const names = new Set(Object.keys(env).flatMap((variable) => VARIABLE.exec(variable)?.[1] ?? []));
  for (const name of [...names].sort()) {
    try {
      const source = new ProviderSource(env, name);
      if (source.isConfigured) providers.push(readProvider(source));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(error.message);
    }
  }
  if (providers.length > MAX_PROVIDERS) problems.push(`${PREFIX}…: more than ${MAX_PROVIDERS} providers.`);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return providers;
}

function readProvider(source: ProviderSource): AuthProvider {
  const kind = source.provider === GITHUB ? GITHUB : 'openid';
  source.refuseOtherThan(kind);
  const common = {
    name: source.provider,
    clientId: source.required('CLIENT_ID'),
    clientSecret: source.required('CLIENT_SECRET'),
  };
  return kind === GITHUB ? github(source, common) : openid(source, common);
}

type Common = Pick<Provider, 'name' | 'clientId' | 'clientSecret'>;

function github(source: ProviderSource, common: Common): GithubProvider {
  const own = source.value('URL');
  const url = withoutSlash(own ?? GITHUB_URL);
  const apiUrl = withoutSlash(source.value('API_URL') ?? (own === undefined ? GITHUB_API_URL : `${url}/api/v3`));
  const label = source.value('LABEL') ?? 'GitHub';
  return { kind: 'github', ...common, label, scopes: source.value('SCOPES') ?? GITHUB_SCOPES, url, apiUrl };
}

function openid(source: ProviderSource, common: Common): OpenIdProvider {
  const asked = source.value('SCOPES') ?? OPENID_SCOPES;
  if (!asked.split(' ').includes('openid')) throw source.wrong('SCOPES');
  const words = common.name.replaceAll('_', ' ');
  const label = source.value('LABEL') ?? words.charAt(0).toUpperCase() + words.slice(1);
  return { kind: 'openid', ...common, label, scopes: asked, issuer: source.required('ISSUER') };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

class ProviderSource {
  readonly provider: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #name: string;

  /** `name` as in the variables. Throws ConfigError if no provider can have it. */
  constructor(env: NodeJS.ProcessEnv, name: string) {
    this.provider = name.toLowerCase();
    this.#env = env;
    this.#name = name;
    if (this.isConfigured && (RESERVED.has(this.provider) || name.length > MAX_NAME || !/^[A-Z0-9].*$/.test(name))) {
      const rule = `must begin with a letter or digit, have at most ${MAX_NAME} characters and not be ${[...RESERVED].join(' or ')}`;
      throw new ConfigError(`${PREFIX}${name}_…: the name of a provider ${rule}.`);
    }
  }

  /** Whether anything is set; variables may exist but be empty. */
  get isConfigured(): boolean {
    return FIELD_NAMES.some((field) => settingText(this.#env, this.#variable(field)) !== undefined);
  }

  /** Throws ConfigError for a setting that providers of this kind do not have. */
  refuseOtherThan(kind: AuthProvider['kind']): void {
    for (const field of FIELD_NAMES) {
      const { of } = FIELDS[field];
      if (of === 'all' || of === kind || settingText(this.#env, this.#variable(field)) === undefined) continue;
      const why = kind === 'github' ? 'GitHub has no issuer' : 'only the provider GITHUB has it';
      throw new ConfigError(`${this.#variable(field)} must not be set: ${why}.`);
    }
  }

  /** Throws ConfigError if the value is wrong. */
  value(field: FieldName): string | undefined {
    const text = settingText(this.#env, this.#variable(field));
    if (text === undefined) return undefined;
    try {
      return FIELDS[field].type.parse(text);
    } catch {
      throw this.wrong(field);
    }
  }

  /** Throws ConfigError if the value is wrong or missing. */
  required(field: FieldName): string {
    const value = this.value(field);
    if (value !== undefined) return value;
    throw new ConfigError(`${this.#variable(field)} is missing: the login provider "${this.provider}" needs it.`);
  }

  /** Never includes the value, which may be a secret. */
  wrong(field: FieldName): ConfigError {
    return new ConfigError(`${this.#variable(field)} must be ${FIELDS[field].type.expects}.`);
  }

  #variable(field: FieldName): string {
    return `${PREFIX}${this.#name}_${field}`;
  }
}

const FIELD_NAMES = Object.keys(FIELDS).filter((name): name is FieldName => name in FIELDS);
