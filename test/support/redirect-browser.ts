/** As much of a browser as logins need: it keeps cookies of several hosts, follows redirects when told to, sends forms. */
import { fetch } from './checked-fetch.ts';

interface Cookie {
  readonly value: string;
  readonly path: string;
  readonly secure: boolean;
}

const MAX_REDIRECTS = 20;

/** Where a browser is. */
export interface Visit {
  readonly url: URL;
  readonly response: Response;
}

export class RedirectBrowser {
  /** By host and port (ours differ only in their ports), then by name. */
  readonly #cookies = new Map<string, Map<string, Cookie>>();

  /** One request; redirects are not followed. */
  async open(url: URL | string, init: RequestInit = {}): Promise<Visit> {
    const target = new URL(url);
    const headers = new Headers(init.headers);
    const cookies = this.cookieHeader(target);
    if (cookies !== '' && !headers.has('Cookie')) headers.set('Cookie', cookies);
    const response = await fetch(target, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(target, line);
    return { url: target, response };
  }

  /** Sends a form. */
  submit(url: URL | string, fields: Readonly<Record<string, string>>): Promise<Visit> {
    return this.open(url, { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** Follows redirects until there are no more, or `stop` says that the next address is far enough. */
  async follow(visit: Visit, stop: (next: URL) => boolean = () => false): Promise<Visit> {
    let at = visit;
    for (let i = 0; i < MAX_REDIRECTS; i++) {
      const next = destination(at);
      if (next === null || stop(next)) return at;
      await at.response.body?.cancel();
      at = await this.open(next);
    }
    throw new Error(`more than ${MAX_REDIRECTS} redirects, at ${at.url.href}`);
  }

  /** The value of a cookie; undefined without it. */
  cookie(url: URL | string, name: string): string | undefined {
    return this.#cookies.get(new URL(url).host)?.get(name)?.value;
  }

  /** Drops the cookies of a host. */
  forget(url: URL | string): void {
    this.#cookies.delete(new URL(url).host);
  }

  forgetCookie(url: URL | string, name: string): void {
    this.#cookies.get(new URL(url).host)?.delete(name);
  }

  setCookie(url: URL | string, name: string, value: string): void {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, Cookie>();
    this.#cookies.set(host, jar.set(name, { value, path: '/', secure: false }));
  }

  cookieHeader(url: URL): string {
    const sent = [...(this.#cookies.get(url.host) ?? [])].filter(
      ([, { path, secure }]) =>
        (!secure || url.protocol === 'https:') && (url.pathname === path || url.pathname.startsWith(withSlash(path))),
    );
    return sent.map(([name, { value }]) => `${name}=${value}`).join('; ');
  }

  #keep(url: URL, line: string): void {
    const [pair = '', ...rest] = line.split(';').map((part) => part.trim());
    const attributes = new Map(rest.map((part) => splitAt(part)).map(([name, value]) => [name.toLowerCase(), value]));
    const [name, value] = splitAt(pair);
    const jar = this.#cookies.get(url.host) ?? new Map<string, Cookie>();
    this.#cookies.set(url.host, jar);
    const age = attributes.get('max-age');
    const expires = attributes.get('expires');
    const gone = age === undefined ? expires !== undefined && Date.parse(expires) <= Date.now() : Number(age) <= 0;
    if (gone) jar.delete(name);
    else jar.set(name, { value, path: attributes.get('path') ?? '/', secure: attributes.has('secure') });
  }
}

/** Where an answer redirects to; null: nowhere. */
export function destination({ url, response }: Visit): URL | null {
  const location = response.headers.get('location');
  return location === null ? null : new URL(location, url);
}

function splitAt(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}
