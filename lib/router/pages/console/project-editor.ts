/**
 * GET /console/projects/{projectID}/new-dashboard and …/dashboards/{dashboardID}/edit: the YAML of a dashboard, with what it draws
 * beside it. console/editor/ runs in it.
 */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../../base/files/package-folder.ts';
import { starterDashboard } from '../../../dashboards/starter.ts';
import { projectRef } from '../../project-ref.ts';
import type { RouterContext } from '../../context.ts';
import { findDashboard } from '../../find-dashboard.ts';
import { idParameter, queryParameters } from '../../http/query-string.ts';
import type { RequestHandler } from '../../http/request.ts';
import { type Html, html } from '../html.ts';
import { projectApi, projectPagePath } from './paths.ts';
import { projectPage } from './project-layout.ts';
import { forProject, type ProjectVisit, type Visiting } from './visit.ts';

/** A text to begin with. */
interface Template {
  readonly name: string;
  readonly title: string;
  readonly text: (visit: ProjectVisit) => string | Promise<string>;
}

export function newDashboard(context: Visiting & Pick<RouterContext, 'store'>): RequestHandler {
  return forProject(context, 'member', async (visit) => {
    const templates = [starter(context), EMPTY, ...(await readyDashboards())];
    const asked = queryParameters(visit.request).get('template');
    const chosen = templates.find(({ name }) => name === asked) ?? templates[0]!;
    return editorPage(visit, {
      ...{ id: '', title: 'New dashboard', version: 0, visibility: 'project' },
      ...{ yaml: await chosen.text(visit), above: templateLinks(templates, chosen) },
    });
  });
}

export function editDashboard(context: Visiting): RequestHandler {
  return forProject(context, 'member', async (visit) => {
    const asked = { id: idParameter(visit.request, 'dashboardID'), version: null, visibility: null };
    const holder = { project: visit.project, accountId: visit.account.id, by: { name: '', ip: null } };
    const { id, title, version, owner, yaml } = await findDashboard(context.control, asked, holder);
    const visibility = owner === null ? 'project' : 'personal';
    return editorPage(visit, { id, title: `Edit ${title}`, version, visibility, yaml, above: null });
  });
}

const starter = ({ store }: Pick<RouterContext, 'store'>): Template => ({
  name: 'starter',
  title: 'From your events',
  text: async ({ project }) => starterDashboard((await store.catalog(projectRef(project))).events.map(({ name }) => name)),
}); // prettier-ignore

const EMPTY: Template = {
  name: 'empty',
  title: 'Empty',
  text: () => `version: 1
id: my-dashboard
title: My dashboard
sections:
  - cards:
      - kind: metric
        title: People
        query: '* | last 7d | unique distinct_id'
`,
};

/** Those of the package, whose events are those of the demo. */
async function readyDashboards(): Promise<readonly Template[]> {
  const folder = join(PACKAGE_FOLDER, 'public/dashboards');
  const names = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).toSorted();
  return Promise.all(
    names.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      return { name: file.replace('.yaml', ''), title: /^title: (.*)$/m.exec(text)?.[1] ?? file, text: () => text };
    }),
  );
}

function templateLinks(templates: readonly Template[], chosen: Template): Html {
  return html`<nav class="templates" aria-label="Templates">
    <span>Begin with</span>
    ${templates.map(
      ({ name, title }) =>
        html`<a class="button quiet" href="?template=${name}" ${name === chosen.name && html` aria-current="page"`}
          >${title}</a
        >`,
    )}
  </nav>`;
}

interface Edited {
  /** '': it is new. */
  readonly id: string;
  readonly title: string;
  readonly version: number;
  readonly visibility: 'project' | 'personal';
  readonly yaml: string;
  readonly above: Html | null;
}

function editorPage(visit: ProjectVisit, edited: Edited): Html {
  const { id } = visit.project;
  const path = projectPagePath(id, 'dashboards');
  const main = html`<section
    aria-labelledby="edit"
    data-editor
    data-api="${projectApi(id)}"
    data-path="${path}"
    data-ask="${projectPagePath(id, 'ask')}"
    data-id="${edited.id}"
    data-version="${edited.version}"
    data-visibility="${edited.visibility}"
  >
    <div class="editor-head">
      <h2 id="edit">${edited.title}</h2>
      <p class="hint" role="status" data-state>${edited.version > 0 && html`Version ${edited.version}.`}</p>
      ${edited.id === '' && visibilityField()}
      <button type="button" class="primary" data-save>Save</button>
      <a class="button quiet" href="${edited.id === '' ? path : `${path}/${encodeURIComponent(edited.id)}`}">Close</a>
    </div>
    ${edited.above}
    <div data-trouble></div>
    <div class="editor">
      ${yamlField(edited.yaml)}
      <div class="editor-preview">
        <p class="hint" data-preview-state>Preview</p>
        <div data-preview></div>
      </div>
    </div>
    ${edited.id !== '' && versions()}
  </section>`;
  return projectPage(visit, 'dashboards', main, 'editor');
}

function visibilityField(): Html {
  return html`<label class="visibility"
    >Seen by
    <select data-visibility-field>
      <option value="project">everybody in the project</option>
      <option value="personal">you alone</option>
    </select></label
  >`;
}

function yamlField(yaml: string): Html {
  return html`<div class="editor-text">
    <label for="yaml">YAML</label>
    <div class="yaml" data-yaml>
      <div class="yaml-lines" data-lines aria-hidden="true"></div>
      <div class="yaml-sheet">
        <div class="yaml-echo" data-echo aria-hidden="true"></div>
        <textarea
          id="yaml"
          spellcheck="false"
          autocapitalize="off"
          autocomplete="off"
          autocorrect="off"
          wrap="off"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls="completions"
          aria-describedby="yaml-hint"
        >
${yaml}</textarea>
        <ul id="completions" class="completions" role="listbox" aria-label="Completions" hidden></ul>
      </div>
    </div>
    <p class="hint" id="yaml-hint">
      <kbd>Ctrl</kbd> <kbd>Space</kbd> lists what may stand here, <kbd>Tab</kbd> takes it, <kbd>Ctrl</kbd> or
      <kbd>⌘</kbd> <kbd>S</kbd> saves. <a href="/docs/dashboards">What a dashboard may have</a>
    </p>
    <ol class="yaml-problems" data-problems aria-label="Problems" hidden></ol>
  </div>`;
}

function versions(): Html {
  return html`<details class="versions" data-versions>
    <summary>Versions</summary>
    <ol></ol>
    <div data-changes></div>
  </details>`;
}
