/** A customer's site with the script in its pages, a service behind a gate, and a browser that visits it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as send } from 'node:http';
import { expect } from 'chai';
import type { Browser, BrowserContext, BrowserContextOptions, LaunchOptions, Page } from 'playwright-core';
import type { Listening } from '../../support/listening.ts';
import { listenOnLoopback } from '../../support/listening.ts';
import type { TestService } from '../../support/service.ts';
import { startTestService } from '../../support/service.ts';
import { launchChromium, PAGE_PATIENCE } from '../chromium.ts';
import { Gate } from './gate.ts';

/** How often each way of losing events is tried: races do not end the same way every time. */
export const TIMES = Number(process.env['WINDLASS_SCRIPT_TIMES'] ?? 3);

/** How long events may take to arrive, ms. */
export const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 100;

export interface SitePage {
  /** Attributes of the script's tag without `data-`, besides its key and host. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** The text of a script that runs before it. */
  readonly before?: string;
  /** A tag that replaces the usual one. */
  readonly tag?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Site {
  readonly service: TestService;
  readonly gate: Gate;
  /** How the site's pages look; tests change it before they load. */
  page: SitePage = {};
  readonly #site: Listening;
  readonly #browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  readonly #awaited = new Map<string, () => void>();
  #paths: ReadonlyMap<string, string> = new Map();
  #complaints: string[] = [];
  #events = 0;

  private constructor(parts: { service: TestService; gate: Gate; site: Listening; browser: Browser }) {
    this.service = parts.service;
    this.gate = parts.gate;
    this.#site = parts.site;
    this.#browser = parts.browser;
  }

  static async start(options?: LaunchOptions): Promise<Site> {
    const browser = await launchChromium([], options); // first, as it is what may be missing
    const service = await startTestService();
    const gate = await Gate.start(service.url);
    const site = await listenOnLoopback(() => (request, response) => {
      if (made.#passOn(request, response)) return;
      made.#awaited.get(request.url ?? '/')?.();
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...made.page.headers });
      response.end(made.#html(request.url ?? '/'));
    });
    const made: Site = new Site({ service, gate, site, browser });
    return made;
  }

  get url(): string {
    return this.#site.url;
  }

  /** The usual tag. */
  get tag(): string {
    const { gate, service, page } = this;
    const attributes = { key: service.keys.project.publicKey, host: gate.url, ...page.attributes };
    const written = Object.entries(attributes).map(([name, value]) => `data-${name}="${value}"`);
    return `<script src="${gate.url}/public/wl.js" ${written.join(' ')}></script>`;
  }

  /** A visitor with their own browser context. */
  async visitor(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(PAGE_PATIENCE);
    this.#contexts.push(context);
    context.on('weberror', (error) => this.#complaints.push(`a script threw: ${error.error().message}`));
    context.on('console', (message) => {
      const text = message.text();
      if (message.type() !== 'error' || text.startsWith('Failed to load resource')) return; // networks fail on purpose here
      this.#complaints.push(`console: ${text}`);
    });
    return context;
  }

  /** A page of the site, in a visitor's tab. */
  async visit(path = '/', context?: BrowserContext): Promise<Page> {
    const page = await (context ?? (await this.visitor())).newPage();
    await page.goto(this.url + path);
    return page;
  }

  /** Resolves when the page is next requested. */
  nextLoad(path: string): Promise<void> {
    return new Promise((resolve) => this.#awaited.set(path, resolve));
  }

  /** From now on the site forwards these paths to the service, under the paths they map to. */
  passOn(paths: ReadonlyMap<string, string>): void {
    this.#paths = paths;
  }

  /** Waits until a query has this answer; fails with the last one. */
  async expectRows(q: string, expected: readonly Record<string, unknown>[]): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const rows = await this.service.rows(q);
      try {
        expect(rows).to.deep.equal(expected);
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** Waits until so many events of this type are stored. */
  expectCount(event: string, count: number): Promise<void> {
    return this.expectRows(`${event} | last 1d | count`, [{ count }]);
  }

  /** An event type that no other test uses. */
  newEvent(): string {
    return `event_${++this.#events}`;
  }

  /** Call after every test: checks that no page had an error. */
  async finish(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close();
    const complaints = this.#complaints;
    this.#complaints = [];
    expect(complaints).to.deep.equal([]);
    this.gate.mode = 'pass';
    this.gate.passed = [];
    this.page = {};
    this.#paths = new Map();
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.#site.stop();
    await this.gate.stop();
    await this.service.stop();
  }

  /** Whether the request is forwarded. */
  #passOn(request: IncomingMessage, response: ServerResponse): boolean {
    const url = new URL(request.url ?? '/', this.url);
    const path = this.#paths.get(url.pathname);
    if (path === undefined) return false;
    const { method, headers } = request;
    const passing = send(new URL(path + url.search, this.service.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passing);
    return true;
  }

  #html(path: string): string {
    const { before, tag = this.tag } = this.page;
    const first = before === undefined ? '' : `<script>${before}</script>`;
    return `<!doctype html><html lang="en"><title>Page ${path.replace(/\?.*/, '')}</title>${first}${tag}<h1>${path}</h1>`;
  }
}
