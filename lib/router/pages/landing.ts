/** GET /: what this is, what it costs, how to start, with commands that work on this host. */
import type { RequestHandler } from '../http/request.ts';
import { billOf, priceOf, type Price } from '../../control/usage/price.ts';
import type { RouterContext } from '../context.ts';
import { DocsPage, hostAddress } from './docs-page.ts';
import { installWl } from './downloads.ts';
import { money, unitPrice, grouped } from './figures.ts';
import { type Html, html, snippet } from './html.ts';
import { page } from './layout.ts';
import { sendPage } from './page-policy.ts';
import { themeOf } from './theme.ts';

const EXAMPLE = 'retention signup returning task_completed | by week | last 4w';

export function landing(context: Pick<RouterContext, 'clients' | 'config' | 'publicUrl' | 'sessions'>): RequestHandler {
  const answer = new DocsPage('query-language.md').answerTo(EXAMPLE);
  const price = priceOf(context.config);
  const cost = price !== null && priceSection(price);
  return async (request, response) => {
    const account = (await context.sessions.find(request))?.account ?? null;
    const address = hostAddress(request, context);
    const main = html`${hero(answer, account !== null, price !== null)}${start(address)}${cost}${promises()}`;
    sendPage(
      response,
      200,
      page({
        title: 'Product analytics that answers in text',
        account,
        main,
        kind: 'landing',
        host: context.config,
        theme: themeOf(request),
      }),
    );
  };
}

function hero(answer: string, loggedIn: boolean, priced: boolean): Html {
  return html`<section class="hero">
    <div class="claim">
      <h1>Product analytics that answers in text</h1>
      <p class="lead">
        Send events over HTTP. Ask in a pipe language. Read a Markdown table, JSON or CSV. Built for scripts, agents and
        people at a terminal.
      </p>
      <p class="actions">
        ${
          loggedIn
            ? html`<a class="button primary" href="/console">Open the console</a>`
            : html`<a class="button primary" href="/login">${priced ? 'Start for free' : 'Log in'}</a>`
        }
        <a class="button" href="/docs/">Read the documentation</a>
        ${priced && html`<a class="button" href="#price">What it costs</a>`}
      </p>
    </div>
    <figure class="example">
      <figcaption>A question, and its answer</figcaption>
      <pre tabindex="0" aria-label="An example query with its answer"><code><span class="ask">${EXAMPLE}</span>

${answer}</code></pre>
    </figure>
  </section>`;
}

function start(address: string): Html {
  const key = 'sk_…';
  return html`<section aria-labelledby="start">
    <h2 id="start">Start in three steps</h2>
    <ol class="steps">
      <li>
        <div>
          <h3>Get a project</h3>
          <p>
            <a href="/login">Log in</a>; your first login creates an organization. Create a project in the console and
            copy its secret key.
          </p>
        </div>
        <div>
          ${snippet(`export WINDLASS_HOST=${address}\nexport WINDLASS_API_KEY=${key}`, 'host and key for a shell')}
        </div>
      </li>
      <li>
        <div>
          <h3>Send an event</h3>
          <p>
            Use any HTTP client, or <code>wl</code>, which comes from this host and needs Node 22.12 or newer. A reply
            means that the event is on disk.
          </p>
        </div>
        <div>
          ${snippet(`curl -s ${address}/track \\\n  -H "X-API-Key: $WINDLASS_API_KEY" \\\n  -d '{"event_type": "signup", "user_id": "ann"}'`, 'send an event with curl')}
          ${snippet(`${installWl(address)}\nwl track signup --user-id ann`, 'send an event with wl')}
        </div>
      </li>
      <li>
        <div>
          <h3>Ask</h3>
          <p>
            New to a project? <code>inspect *</code> shows what is in it. Errors point at the mistake and suggest the
            nearest name. The <a href="/docs/query-language">query language</a> has
            <a href="/docs/query-examples">examples</a> of everything.
          </p>
        </div>
        <div>
          ${snippet(`curl -s ${address}/query \\\n  -H "X-API-Key: $WINDLASS_API_KEY" \\\n  -d '{"q": "signup | last 7d | count by day"}'`, 'ask with curl')}
          ${snippet("wl query 'signup | last 7d | count by day'", 'ask with wl')}
        </div>
      </li>
    </ol>
    <p>Give an agent <a href="/llms.txt">llms.txt</a> and a token with the query scope. It needs nothing else.</p>
  </section>`;
}

function priceSection(price: Price): Html {
  const { perMillion, currency, freeEvents } = price;
  return html`<section aria-labelledby="price" class="price">
    <div>
      <h2 id="price">One price</h2>
      <p class="amount"><strong>${unitPrice(perMillion, currency)}</strong> per million events</p>
      <p>
        ${freeEvents > 0 && `The first ${inMillions(freeEvents)} events of a month are free.`} No seats, no plans, no
        features held back. Duplicates are stored once and billed once.
      </p>
    </div>
    <table class="data">
      <caption>
        What a month costs
      </caption>
      <thead>
        <tr>
          <th scope="col" class="number">events stored</th>
          <th scope="col" class="number">price</th>
        </tr>
      </thead>
      <tbody>
        ${[1, 10, 25, 100].map(
          (millions) =>
            html`<tr>
              <td class="number">${inMillions(millions * 1e6)}</td>
              <td class="number">${money(billOf(millions * 1e6, price).amount, currency)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

/** 10000000 → "10 million"; only whole millions change. */
function inMillions(events: number): string {
  return events % 1e6 === 0 ? `${grouped(events / 1e6)} million` : grouped(events);
}

function promises(): Html {
  return html`<section aria-labelledby="promises">
    <h2 id="promises">What you can rely on</h2>
    <ul class="promises">
      <li>
        <h3>200 means stored</h3>
        <p>Every event is on disk before it is acknowledged, and counted exactly once, despite retries and restarts.</p>
      </li>
      <li>
        <h3>Yours alone</h3>
        <p>Every project is its own file. One request exports everything about a user; another erases it.</p>
      </li>
      <li>
        <h3>Funnels to experiments</h3>
        <p>Funnels, retention, paths, sessions, lifecycle and experiments, in one language that fits on a page.</p>
      </li>
      <li>
        <h3>Errors that help</h3>
        <p>Every error is JSON with a code and says what to do next.</p>
      </li>
    </ul>
  </section>`;
}
