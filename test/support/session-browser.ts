/** As much of a browser as sessions need: it keeps cookies, and says where its requests come from. */
import { ControlDatabase } from '../../lib/control/database.ts';
import type { Role } from '../../lib/control/types.ts';
import { fetch } from './checked-fetch.ts';

interface Host {
  readonly url: string;
  /** The data folder. */
  readonly folder: string;
}

export class Browser {
  readonly #url: string;
  readonly #cookies = new Map<string, string>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Logged in by an operator link; with a grant, a member of `orgId` with that role. */
  static async loggedIn(host: Host, email: string, grant?: { orgId: string; role: Role }): Promise<Browser> {
    const browser = new Browser(host.url);
    const response = await browser.openLink(await makeLink(host, email, grant));
    if (response.headers.get('location') !== '/console') throw new Error(`no login: ${response.status}`);
    return browser;
  }

  /** What the button behind a login link does. */
  openLink(token: string): Promise<Response> {
    const body = new URLSearchParams({ token });
    return this.send('/auth/link', { method: 'POST', body });
  }

  /** The current Cookie header. */
  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  set cookies(header: string) {
    this.#cookies.clear();
    for (const pair of header.split('; ')) this.#keep(pair);
  }

  get(path: string): Promise<Response> {
    return this.send(path);
  }

  /** With a JSON body, from a same-origin page. */
  call(method: string, path: string, body?: unknown): Promise<Response> {
    return this.send(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  }

  /** Any request; `Origin` is the service's unless `headers` has another, '' for none. */
  async send(
    path: string,
    init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const { Origin: origin = this.#url, ...headers } = init.headers ?? {};
    const sent = { ...headers, ...(origin === '' ? {} : { Origin: origin }), Cookie: this.cookies };
    const response = await fetch(this.#url + path, { ...init, headers: sent, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) this.#take(cookie);
    return response;
  }

  #take(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split('; ');
    const expires = attributes.find((attribute) => attribute.startsWith('expires='))?.slice('expires='.length);
    if (expires !== undefined && Date.parse(expires) < Date.now()) this.#cookies.delete(pair.split('=')[0] ?? '');
    else this.#keep(pair);
  }

  #keep(pair: string): void {
    const at = pair.indexOf('=');
    if (at > 0) this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}

/** The token of a login link, made next to a running server, as by `wl admin login-link`. */
export async function makeLink(
  { folder }: Host,
  email: string,
  grant?: { orgId: string; role: Role },
): Promise<string> {
  const control = await ControlDatabase.open(folder, { secret: null });
  try {
    return (await control.logins.createLink(email, grant ?? null)).token;
  } finally {
    await control.close();
  }
}
