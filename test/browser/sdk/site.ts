/** A customer's site with the script in its pages, a service behind a gate, and a browser that goes there. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as send } from 'node:http';
import { expect } from 'chai';
import type { Browser, BrowserContext, BrowserContextOptions, LaunchOptions, Page } from 'playwright-core';
import type { Listening } from '../../support/listening.ts';
import { listenOnLoopback } from '../../support/listening.ts';
import type { TestService } from '../../support/service.ts';
import { startTestService } from '../../support/service.ts';
import { launchChromium } from '../chromium.ts';
import { Gate } from './gate.ts';

/** How often each way of losing events is tried: a race that one run wins, another may lose. */
export const TIMES = Number(process.env['WINDLASS_SCRIPT_TIMES'] ?? 3);

/** How long events may be on their way, ms. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 100;

export interface SitePage {
  /** Attributes of the script's tag besides its key and host, without `data-`. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Text of a script that runs before it. */
  readonly before?: string;
  /** The tag instead of the usual one. */
  readonly tag?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Site {
  readonly service: TestService;
  readonly gate: Gate;
  /** What the site's pages are like; whoever changes it does so before they load. */
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
    const browser = await launchChromium([], options); // the first thing that may be missing
    const service = await startTestService({ WINDLASS_QUERIES_PER_MINUTE: '0' });
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

  /** Somebody with a browser of their own. */
  async visitor(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.#browser.newContext(options);
    this.#contexts.push(context);
    context.on('weberror', (error) => this.#complaints.push(`a script threw: ${error.error().message}`));
    context.on('console', (message) => {
      const text = message.text();
      if (message.type() !== 'error' || text.startsWith('Failed to load resource')) return; // networks fail on purpose here
      this.#complaints.push(`console: ${text}`);
    });
    return context;
  }

  /** A page of the site, in a tab of somebody. */
  async visit(path = '/', context?: BrowserContext): Promise<Page> {
    const page = await (context ?? (await this.visitor())).newPage();
    await page.goto(this.url + path);
    return page;
  }

  /** Resolves when a page has been asked for the next time. */
  nextLoad(path: string): Promise<void> {
    return new Promise((resolve) => this.#awaited.set(path, resolve));
  }

  /** From now on the site passes requests for these paths on to the service, under the paths that they stand for. */
  passOn(paths: ReadonlyMap<string, string>): void {
    this.#paths = paths;
  }

  /** Waits until a question has this answer, and fails with the last one. */
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

  /** Waits until an event has been stored so many times. */
  expectCount(event: string, count: number): Promise<void> {
    return this.expectRows(`${event} | last 1d | count`, [{ count }]);
  }

  /** An event type that no other test has. */
  newEvent(): string {
    return `event_${++this.#events}`;
  }

  /** To be called after every test: no error came out of any page. */
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

  /** Whether it is passed on. */
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
