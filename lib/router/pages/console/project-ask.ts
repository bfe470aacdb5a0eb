/** GET /console/projects/{projectID}/ask: the query page. console/ask.ts runs in it. */
import type { RequestHandler } from '../../http/request.ts';
import { type Html, html } from '../html.ts';
import { projectApi } from './paths.ts';
import { projectPage } from './project-layout.ts';
import { forProject, may, personPath, type Visiting } from './visit.ts';

const FORMS = [
  ['picture', 'Events'],
  ['table', 'Table'],
  ['llm', 'Markdown'],
  ['csv', 'CSV'],
  ['json', 'JSON'],
  ['explain', 'Explain'],
] as const;

/** Where an answer goes, by what console/answer-menu.ts calls it. */
const ACTS = [
  ['csv', 'Download CSV'],
  ['json', 'Download JSON'],
  ['markdown', 'Copy as Markdown'],
  ['link', 'Copy link'],
  ['curl', 'Copy as curl command'],
  ['wl', 'Copy as wl command'],
  ['card', 'Copy as dashboard card'],
] as const;

/** What the select of ranges puts into a query. */
const RANGES = [
  ['today', 'Today'],
  ['yesterday', 'Yesterday'],
  ['last 7d', 'Last 7 days'],
  ['last 30d', 'Last 30 days'],
  ['last 12w', 'Last 12 weeks'],
  ['last 12mo', 'Last 12 months'],
  ['this month', 'This month'],
  ['all', 'All time'],
] as const;

export function projectAsk(context: Visiting): RequestHandler {
  return forProject(context, 'viewer', (visit) => {
    const { id } = visit.project;
    const main = html`<section
      aria-labelledby="ask"
      data-ask
      data-api="${projectApi(id)}"
      data-project="${id}"
      data-account="${visit.account.id}"
    >
      <h2 id="ask" class="unseen">Ask</h2>
      ${field()} ${shelf(may(visit, 'member'))}
      <div class="problem" role="alert" data-trouble hidden></div>
      ${answer(may(visit, 'member'), personPath(visit))}
    </section>`;
    return projectPage(visit, 'ask', main, 'ask');
  });
}

function field(): Html {
  return html`<form class="ask-form" method="dialog" aria-label="Ask">
    <label for="question">Question</label>
    <div class="query">
      <div class="query-echo" data-echo aria-hidden="true"></div>
      <textarea
        id="question"
        rows="1"
        spellcheck="false"
        autocapitalize="off"
        autocomplete="off"
        autocorrect="off"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls="completions"
        aria-describedby="question-hint question-problem"
      ></textarea>
      <ul id="completions" class="completions" role="listbox" aria-label="Completions" hidden></ul>
    </div>
    <div id="question-problem" class="problem pointed" role="alert" hidden></div>
    <div class="submit">
      <button class="primary">Ask</button>
      <select data-range aria-label="Range">
        <option value="">Range…</option>
        ${RANGES.map(([range, text]) => html`<option value="${range}">${text}</option>`)}
      </select>
      <p class="hint" id="question-hint">
        <span class="keys"
          ><kbd data-command>Ctrl</kbd> <kbd>Enter</kbd> asks, <kbd>Tab</kbd> completes.
          <a href="/docs/console#asking">All keys</a> · </span
        ><a href="/docs/query-language#reference">Language</a> · <a href="/docs/query-examples">Examples</a>
      </p>
    </div>
  </form>`;
}

/** What can be asked again. One of them is open at a time. */
function shelf(writes: boolean): Html {
  return html`<div class="shelf">
    <details name="shelf" data-templates>
      <summary>Templates</summary>
      <ul class="templates"></ul>
    </details>
    <details name="shelf" data-saved data-writes="${writes ? 'yes' : 'no'}" hidden>
      <summary>Saved questions</summary>
      <p class="hint">Everybody in the project sees them.</p>
      <ul class="earlier"></ul>
    </details>
    <details name="shelf" data-earlier hidden>
      <summary>History</summary>
      <p class="hint">Your last 50 questions that had an answer, kept only in this browser.</p>
      <ul class="earlier"></ul>
      <button type="button" class="plain" data-forget>Clear</button>
    </details>
    <details name="shelf" data-cohorts hidden>
      <summary>Cohorts</summary>
      <p class="hint">With the people of the last 30 days who are in them.</p>
      <ul class="earlier"></ul>
    </details>
  </div>`;
}

function answer(writes: boolean, person: string): Html {
  return html`<div class="answered" data-answer data-person="${person}" hidden>
    <p class="context" role="status" data-context></p>
    <ul class="notes" data-notes aria-label="Notes"></ul>
    <div class="forms">
      <div role="group" aria-label="Show the answer as">
        ${FORMS.map(
          ([form, text]) =>
            html`<button
              type="button"
              class="quiet"
              data-form="${form}"
              aria-pressed="${form === 'table' ? 'true' : 'false'}"
              ${form === 'picture' && html` hidden`}
            >
              ${text}
            </button>`,
        )}
      </div>
      ${writes && html`<button type="button" class="quiet" data-save aria-expanded="false">Save question</button>`}
      <details class="answer-menu" data-menu>
        <summary>Download or copy</summary>
        <div>
          ${ACTS.map(([act, text]) => html`<button type="button" class="quiet" data-act="${act}">${text}</button>`)}
        </div>
      </details>
    </div>
    ${
      writes &&
      html`<form class="save-question" method="dialog" aria-label="Save question" data-save-form hidden>
        <label for="question-name">Name</label>
        <input id="question-name" maxlength="80" autocomplete="off" required aria-describedby="question-name-hint" />
        <button class="primary">Save</button> <button type="button" class="quiet" data-cancel-save>Cancel</button>
        <p class="hint" id="question-name-hint">A name that exists gets a new version.</p>
        <div class="problem" role="alert" hidden></div>
      </form>`
    }
    <div class="problem" role="alert" data-answer-problem hidden></div>
    <div data-to-copy></div>
    <div data-body></div>
    <div class="pages">
      <button type="button" class="plain" data-previous hidden>← Previous rows</button>
      <button type="button" class="plain" data-next hidden>Next rows →</button>
    </div>
  </div>`;
}
