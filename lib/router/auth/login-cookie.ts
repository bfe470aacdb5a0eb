/** The cookie that carries a login's ticket to the provider and back. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TICKET_LIFETIME_MS } from './login-tickets.ts';

/**
 * `publicUrl` is the address that browsers see. On https the name begins with `__Host-`: browsers then accept the cookie only
 * from this host, so a neighbour in the same domain cannot plant a login.
 */
export function sendLoginCookie(response: ServerResponse, publicUrl: string, value: string): void {
  append(response, publicUrl, `${value}; Max-Age=${TICKET_LIFETIME_MS / 1_000}`);
}

export function clearLoginCookie(response: ServerResponse, publicUrl: string): void {
  append(response, publicUrl, '; Max-Age=0');
}

/** The value that the browser sent; null if it sent none. */
export function loginCookie({ headers }: IncomingMessage, publicUrl: string): string | null {
  const start = `${nameFor(publicUrl)}=`;
  const found = headers.cookie?.split(';').find((part) => part.trimStart().startsWith(start));
  return found?.trim().slice(start.length) ?? null;
}

function append(response: ServerResponse, publicUrl: string, value: string): void {
  const secure = isSecure(publicUrl) ? '; Secure' : '';
  // Lax: it must be sent when the provider redirects the browser back.
  response.appendHeader('Set-Cookie', `${nameFor(publicUrl)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}`);
}

function nameFor(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-wl_login' : 'wl_login';
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}
