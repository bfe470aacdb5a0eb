/** GET /console/projects/{projectID}/ask: the query page. console/ask.ts runs in it. */
import type { RequestHandler } from '../../http/request.ts';
import { type Html, html } from '../html.ts';
import { LANGUAGE_PAGE } from '../docs-page.ts';
import { projectApi } from './paths.ts';
import { projectPage } from './project-layout.ts';
import { forProject, type Visiting } from './visit.ts';

const FORMS = [
  ['table', 'Table'],
  ['llm', 'Markdown'],
  ['csv', 'CSV'],
  ['json', 'JSON'],
  ['explain', 'Explain'],
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
      ${field()}
      <div class="problem" role="alert" data-trouble hidden></div>
      ${answer()}
      <details class="earlier" data-cohorts hidden>
        <summary>Cohorts</summary>
        <p class="hint">With the persons of the last 30 days who are in them.</p>
        <ul></ul>
      </details>
      <details class="earlier" data-earlier hidden>
        <summary>Earlier questions</summary>
        <p class="hint">The last 50, kept only in this browser.</p>
        <ul></ul>
        <button type="button" class="plain" data-forget>Clear</button>
      </details>
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
      <p class="hint" id="question-hint">
        <kbd>Ctrl</kbd> or <kbd>⌘</kbd> <kbd>Enter</kbd> runs the query, <kbd>Tab</kbd> completes, <kbd>Ctrl</kbd>
        <kbd>Space</kbd> lists completions, <kbd>↑</kbd> recalls, <kbd>Esc</kbd> stops.
        <a href="${LANGUAGE_PAGE}">Language reference</a>
      </p>
    </div>
  </form>`;
}

function answer(): Html {
  return html`<div class="answered" data-answer hidden>
    <div class="forms" role="group" aria-label="Show the answer as">
      ${FORMS.map(
        ([form, text]) =>
          html`<button
            type="button"
            class="quiet"
            data-form="${form}"
            aria-pressed="${form === 'table' ? 'true' : 'false'}"
          >
            ${text}
          </button>`,
      )}
    </div>
    <div class="problem" role="alert" hidden></div>
    <div data-body></div>
    <p class="context" role="status" data-context></p>
    <ul class="notes" data-notes aria-label="Notes"></ul>
    <div class="pages">
      <button type="button" class="plain" data-previous hidden>← Previous rows</button>
      <button type="button" class="plain" data-next hidden>Next rows →</button>
    </div>
  </div>`;
}
