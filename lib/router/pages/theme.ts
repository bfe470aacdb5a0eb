/** Light or dark, as somebody chose it. A cookie says it to the server, so that no page is drawn in the wrong one first. */
import type { IncomingMessage } from 'node:http';

/** `system`: as the device has it. */
export const THEMES = ['light', 'dark', 'system'] as const;

export type Theme = (typeof THEMES)[number];

const COOKIE = /(?:^|;)\s*windlass_theme=(light|dark)\s*(?:;|$)/;

export function themeOf({ headers }: Pick<IncomingMessage, 'headers'>): Theme {
  const chosen = COOKIE.exec(headers.cookie ?? '')?.[1];
  return THEMES.find((theme) => theme === chosen) ?? 'system';
}
