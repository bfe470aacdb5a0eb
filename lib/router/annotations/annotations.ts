/** Annotations of a project: what happened when, told by scripts that deploy, and by members who are logged in. */
import { isoTime } from '../../base/day.ts';
import { AppError } from '../../base/errors.ts';
import { readTime } from '../../base/read-time.ts';
import { MAX_ANNOTATIONS, type StoredAnnotation } from '../../control/projects/annotations.ts';
import { SESSION } from '../api/doors.ts';
import { type Admitting, BY_ACCOUNT, BY_KEY, keyDoor } from '../api/project-door.ts';
import { DELETED, NAME } from '../api/schemas.ts';
import { idParameter } from '../http/query-string.ts';
import { noSuch } from '../roles.ts';
import { JsonBody } from '../route/json-body.ts';
import { creating, managed, type TurnDoor } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import { ANY_STRING, component, DATE_TIME, json, list, objectOf } from '../route/schema.ts';

const ANNOTATION = component(
  'Annotation',
  objectOf({
    id: { type: 'string', pattern: '^ann_' },
    at: DATE_TIME,
    text: ANY_STRING,
    created_at: DATE_TIME,
    created_by: { type: 'string', description: 'As in the audit trail.' },
  }),
);

interface Body {
  readonly text: string;
  readonly at?: string | number;
}

const ANNOTATION_BODY = new JsonBody<Body>(
  'annotation',
  {
    required: ['text'],
    properties: {
      text: { ...NAME, description: `What happened: ${NAME.description}` },
      at: { type: ['string', 'number'], description: 'When, in the forms that the `time` of an event has; default: now. With it a repeated request adds nothing.' },
    },
  },
  {
    '': 'The body must be a JSON object with "text", and "at" for another time than now.',
    '/text': '"text" must be a string.',
    '/at': '"at" must be a time such as "2026-11-20T14:30:00Z".',
  },
); // prettier-ignore

export const ANNOTATION_ROUTES: Routes = {
  ...routesAt('/annotations', keyDoor('annotations'), BY_KEY),
  ...routesAt('/api/projects/{projectID}/annotations', SESSION, BY_ACCOUNT),
};

function routesAt(path: string, door: TurnDoor, { prefix, reads, writes }: Admitting): Routes {
  return {
    [path]: {
      get: managed(door, `list${prefix}Annotations`, 'Lists the annotations of a project.', {
        admit: reads,
        ok: json(`By time, at most ${MAX_ANNOTATIONS.toLocaleString('en')}.`, list(ANNOTATION)),
        fails: [404],
        answer: async ({ control }, { project }) => (await control.annotations.list(project.id)).map(annotationJson),
      }),
      post: creating(door, `add${prefix}Annotation`, 'Adds an annotation, unless there is the same one at that time.', {
        admit: writes,
        body: ANNOTATION_BODY,
        ok: json('It was there already.', ANNOTATION),
        answers: { '201': json('It is added.', ANNOTATION) },
        fails: [404],
        make: async ({ control }, { project, by }, body) => {
          const { stored, isNew } = await control.annotations.add(
            { projectId: project.id, at: timeOf(body), text: body.text },
            by,
          );
          return { status: isNew ? 201 : 200, value: annotationJson(stored) };
        },
      }),
    },
    [`${path}/{annotationID}`]: {
      delete: managed(door, `delete${prefix}Annotation`, 'Deletes an annotation.', {
        admit: writes,
        ok: json('It is gone.', DELETED),
        answer: async ({ control }, { project, by }, request) => {
          const id = idParameter(request, 'annotationID');
          if (!(await control.annotations.delete(project.id, id, by))) throw noSuch('annotation');
          return { deleted: true, id };
        },
      }),
    },
  };
}

/** Milliseconds since the epoch. Throws AppError `bad_request`. */
function timeOf({ at = Date.now() }: Body): number {
  const time = readTime(at);
  if (time !== null && time >= 0) return time;
  throw new AppError('bad_request', '"at" must be a time since 1970, such as "2026-11-20T14:30:00Z".');
}

const annotationJson = ({ id, at, text, createdAt, createdBy }: StoredAnnotation) => ({
  ...{ id, at: isoTime(at), text },
  ...{ created_at: isoTime(createdAt), created_by: createdBy },
});
