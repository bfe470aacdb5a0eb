/** Parts of docs/, which the package contains: the host's pages say the same as docs/. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../base/files/package-folder.ts';
import type { IncomingMessage } from 'node:http';
import type { RouterContext } from '../context.ts';

/** The address in the examples of docs/. */
const EXAMPLE_ADDRESS = /(?:http:\/\/127\.0\.0\.1|\blocalhost):8080/g;

/** A page of docs/. A part that is requested but missing is a bug, and stops the start. */
export class DocsPage {
  readonly #name: string;
  readonly #lines: readonly string[];

  constructor(name: string) {
    this.#name = name;
    this.#lines = readFileSync(join(PACKAGE_FOLDER, 'docs', name), 'utf8').split('\n');
  }

  /** The text below a heading (`## Keys`), up to the next one of its level. */
  section(heading: string): string {
    const start = this.#lines.indexOf(heading);
    if (start < 0) throw new Error(`docs/${this.#name} has no heading "${heading}"`);
    const level = heading.indexOf(' ');
    let fenced = false;
    const end = this.#lines.findIndex((line, index) => {
      if (line.startsWith('```')) fenced = !fenced;
      return index > start && !fenced && /^#+ /.test(line) && line.indexOf(' ') <= level;
    });
    return compact(this.#lines.slice(start + 1, end < 0 ? undefined : end));
  }

  /** The names of its parts of the third level, in order. */
  get parts(): readonly string[] {
    return this.#lines.filter((line) => line.startsWith('### ')).map((line) => line.slice('### '.length));
  }

  /** The answer that the page shows below a query. */
  answerTo(query: string): string {
    const start = this.#lines.findIndex((line, index) => line === query && this.#lines[index - 1] === '```pipe');
    if (start < 0) throw new Error(`docs/${this.#name} has no example "${query}"`);
    const begin = this.#lines.indexOf('```text', start);
    return this.#lines.slice(begin + 1, this.#lines.indexOf('```', begin)).join('\n');
  }
}

/** Replaces the address that docs/ uses by that of a host. */
export function withAddress(text: string, address: string): string {
  return text.replaceAll(EXAMPLE_ADDRESS, () => address);
}

/** Removes what is useless here: the padding of tables, and links. */
function compact(lines: readonly string[]): string {
  const text = lines.map((line) =>
    line.startsWith('|') ? line.replaceAll(/ {2,}/g, ' ').replaceAll(/-{4,}/g, '---') : line,
  );
  return withoutLinks(text.join('\n')).trim();
}

/** Removes links between pages of docs/, which are relative. */
function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1');
}

const NAME = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i;
const IPV6 = /^\[[0-9a-f:.]+\](?::\d{1,5})?$/i;

/**
 * WINDLASS_URL if it is set. Otherwise the browser's Host header, if it is a plain name with a port: it is the client's text.
 * Else the address that the service listens on.
 */
export function hostAddress(
  request: IncomingMessage,
  { config, clients, publicUrl }: Pick<RouterContext, 'clients' | 'config' | 'publicUrl'>,
): string {
  if (config.url !== null) return config.url;
  const { host } = request.headers;
  // Characters of a DNS name.
  if (host === undefined || host.length > 253 || !(NAME.test(host) || IPV6.test(host))) return publicUrl();
  const secure = clients.of(request).trusted && request.headers['x-forwarded-proto'] === 'https';
  return `${secure ? 'https' : 'http'}://${host.toLowerCase()}`;
}
