/** Forms that call the API: public/console/forms.js sends their fields as JSON and shows what comes back. */
import { type Html, html } from '../html.ts';

interface ApiForm {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** What the form is for, if no heading says so. */
  readonly label: string;
  readonly fields?: Html | null;
  readonly submit: string;
  readonly look?: 'primary' | 'plain' | 'danger' | 'quiet';
  /** A question to confirm before anything is sent. */
  readonly confirm?: string;
  /** The page to open on success, with the answer's id for `{id}`; by default the regions of this one are fetched again. */
  readonly go?: string;
  /** Id of the element that shows fields of the answer. */
  readonly show?: string;
  /** Shown on success. */
  readonly done: string;
  /** Shown once `Undo`, beside `done`, has sent what was there before. Without it nothing can be undone. */
  readonly undone?: string;
}

/**
 * A form. Without scripts it does nothing: `method="dialog"` outside a dialog sends nothing, so no field ever gets into an
 * address. Its button works from when the script is there: on a slow connection nobody presses it in vain.
 */
export function apiForm(form: ApiForm): Html {
  const { method, path, label, fields = null, submit, look = 'plain', done, undone = '' } = form;
  const { confirm = '', go = '', show = '' } = form;
  const classes = fields === null ? 'api bare' : 'api';
  return html`<form
    class="${classes}"
    method="dialog"
    aria-label="${label}"
    data-method="${method}"
    data-path="${path}"
    data-done="${done}"
    data-undone="${undone}"
    data-go="${go}"
    data-show="${show}"
    data-confirm="${confirm}"
  >
    ${fields}
    <div class="submit"><button class="${look}" disabled>${submit}</button></div>
    <div class="problem" role="alert" hidden></div>
  </form>`;
}

interface Field {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
}

interface TextField extends Field {
  readonly value?: string;
  readonly type?: 'text' | 'email' | 'number' | 'date' | 'search';
  readonly required?: boolean;
  readonly maxLength?: number;
  /** Id of a datalist. */
  readonly list?: string;
  readonly placeholder?: string;
  /** It is sent as a list of what commas separate. */
  readonly isList?: boolean;
}

/** A field with its label, and a hint read out with it. */
export function textField(field: TextField): Html {
  const {
    id,
    name,
    label,
    hint,
    value = '',
    type = 'text',
    required = true,
    maxLength = 200,
    list,
    placeholder,
    isList = false,
  } = field;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${value}"
      maxlength="${maxLength}"
      autocomplete="off"
      ${
        hint !== undefined && html` aria-describedby="${id}-hint"`
      }${list !== undefined && html` list="${list}"`}${placeholder !== undefined && html` placeholder="${placeholder}"`}${
        type === 'number' && html` min="1" step="1"`
      }${isList && html` data-commas`}${required && html` required`}
    />
  </div>`;
}

interface SelectField extends Field {
  /** Hides the label, for screen readers only, where a heading already says it. */
  readonly labelUnseen?: boolean;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly selected: string;
  /** It is sent as what its value spells in JSON. */
  readonly isJson?: boolean;
}

export function selectField(field: SelectField): Html {
  const { id, name, label, hint, labelUnseen = false, options, selected, isJson = false } = field;
  return html`<div class="field">
    <label for="${id}" ${labelUnseen && html` class="unseen"`}>${label}</label>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <select
      id="${id}"
      name="${name}"
      ${hint !== undefined && html` aria-describedby="${id}-hint"`}${isJson && html` data-json`}
    >
      ${options.map(
        ([value, text]) => html`<option value="${value}" ${value === selected && html` selected`}>${text}</option>`,
      )}
    </select>
  </div>`;
}

interface TextArea extends Field {
  readonly value: string;
  readonly rows: number;
}

/** A field of several lines in the type of code. */
export function textArea({ id, name, label, hint, value, rows }: TextArea): Html {
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <textarea
      class="code"
      id="${id}"
      name="${name}"
      rows="${rows}"
      spellcheck="false"
      autocapitalize="off"
      autocomplete="off"
      required
      ${hint !== undefined && html` aria-describedby="${id}-hint"`}
    >
${value}</textarea>
  </div>`;
}

/** What is not the first thing to do in a section: folded, behind a button's words. */
export function folded(summary: string, content: Html, isOpen = false): Html {
  return html`<details class="fold" ${isOpen && html` open`}>
    <summary>${summary}</summary>
    ${content}
  </details>`;
}
