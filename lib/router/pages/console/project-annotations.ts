/** The annotations of a project in its settings: what happened when, and deleting what no chart is to show any more. */
import type { StoredAnnotation } from '../../../control/projects/annotations.ts';
import { minute } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { apiForm } from './api-form.ts';
import { emptyState } from './console-layout.ts';
import { dataTable, firstRows } from './data-table.ts';
import { projectApi } from './paths.ts';
import { may, type ProjectVisit } from './visit.ts';

/** A section. @param annotations By time. */
export function projectAnnotations(visit: ProjectVisit, annotations: readonly StoredAnnotation[]): Html {
  return html`<section aria-labelledby="annotations">
    <h2 id="annotations">Annotations</h2>
    <p>What happened when, such as a deploy: marks in every chart over time. Add one with <code>wl annotation add</code>.</p>
    <div data-region="annotations">
      ${
        annotations.length === 0
          ? emptyState('No annotations yet.', 'Those that scripts and members add will appear here.')
          : table(visit, annotations.toReversed())
      }
    </div>
  </section>`;
} // prettier-ignore

function table(visit: ProjectVisit, annotations: readonly StoredAnnotation[]): Html {
  const deletes = may(visit, 'member');
  const { shown, note } = firstRows(annotations, 'annotations');
  const rows = shown.map((annotation) => [
    html`<time datetime="${new Date(annotation.at).toISOString()}">${minute(annotation.at)}</time>`,
    annotation.text,
    `by ${annotation.createdBy}`,
    ...(deletes ? [deletion(visit, annotation)] : []),
  ]);
  const columns = [
    'when (UTC)',
    { name: 'what', look: 'sentence' },
    { name: 'added by', look: 'long' },
    ...(deletes ? [{ name: 'Delete', isUnseen: true }] : []),
  ] as const;
  return html`${dataTable({ label: 'Table of annotations', columns, rows, isText: true })}${note}`;
}

function deletion({ project }: ProjectVisit, { id, text }: StoredAnnotation): Html {
  return apiForm({
    method: 'DELETE',
    path: projectApi(project.id, `/annotations/${encodeURIComponent(id)}`),
    label: `Delete ${text}`,
    submit: 'Delete',
    look: 'quiet',
    confirm: `Delete the annotation “${text}” from all charts?`,
    done: 'Annotation deleted.',
  });
}
