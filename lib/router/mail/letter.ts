/** What mail says, as plain text and as HTML of one form. */
import { html } from '../pages/html.ts';

export interface Letter {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** Text in columns; left out or '': none. */
  readonly table?: string;
  readonly link: { readonly label: string; readonly href: string };
  readonly attachments?: readonly { readonly filename: string; readonly content: string }[];
  /** Who runs the host, and why this was sent. */
  readonly foot: string;
}

export const plainLetter = ({ paragraphs, table = '', link, foot }: Letter): string =>
  [...paragraphs, ...(table === '' ? [] : [table]), `${link.label}:\n${link.href}`, `-- \n${foot}`].join('\n\n');

/** Mail programs read styles of elements only. */
export const htmlLetter = ({ subject, paragraphs, table = '', link, foot }: Letter): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${subject}</title>
      </head>
      <body style="margin: 0 auto; max-width: 34em; padding: 24px; font: 16px/1.5 system-ui, sans-serif">
        ${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}
        ${table !== '' && html`<pre style="overflow-x: auto; font-size: 13px">${table}</pre>`}
        <p>
          <a
            href="${link.href}"
            style="display: inline-block; padding: 10px 18px; border-radius: 6px; background: #1f4fd8; color: #ffffff; text-decoration: none"
            >${link.label}</a
          >
        </p>
        <p style="color: #5c6370; font-size: 13px">${foot}</p>
      </body>
    </html>`.text;
