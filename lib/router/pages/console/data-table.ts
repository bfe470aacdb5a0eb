/** Tables and lists of facts, the same on all pages of the console. */
import { type Hole, type Html, html } from '../html.ts';
import { grouped } from '../figures.ts';
import { MAX_PAGE } from '../../../control/storage/connection.ts';

/** A column by its heading. `isUnseen`: for screen readers only. `look`: the class of its cells; `long` ones wrap. */
type Column =
  | string
  | {
      readonly name: string;
      readonly isUnseen?: boolean;
      readonly look?: 'number' | 'role' | 'long' | 'sentence' | 'tick';
    };

interface DataTable {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Hole[])[];
  /** Whether the first cell of a row names it. */
  readonly isNamed?: boolean;
  /** Whether a row reads as text, so that on a phone it stands as a block. */
  readonly isText?: boolean;
}

/** A table that scrolls where it is wider than the page. */
export function dataTable({ label, columns, rows, isNamed = false, isText = false }: DataTable): Html {
  const body = rows.map((cells) => html`<tr>${cells.map((cell, index) => dataCell(cell, columns[index], isNamed && index === 0))}</tr>`);
  return tableFrame(label, columns, html`<tbody>${body}</tbody>`, isText ? 'scroll as-text' : 'scroll');
} // prettier-ignore

/** An e-mail address that breaks after its `@` where it does not fit; other text is left as it is. */
export function breakable(address: string): Html {
  const [name = '', ...host] = address.split('@');
  return html`${name}${host.length > 0 && html`@<wbr />${host.join('@')}`}`;
}

/** The same frame around a body that a script fills. */
export function tableFrame(label: string, columns: readonly Column[], body: Html, look = 'scroll'): Html {
  return html`<div class="${look}" role="region" aria-label="${label}" tabindex="0">
    <table class="data">
      <thead>
        <tr>
          ${columns.map(heading)}
        </tr>
      </thead>
      ${body}
    </table>
  </div>`;
}

function heading(column: Column): Html {
  if (typeof column === 'string') return html`<th scope="col">${column}</th>`;
  const { name, isUnseen = false } = column;
  return html`<th scope="col"${lookOf(column)}>${isUnseen ? html`<span class="unseen">${name}</span>` : name}</th>`;
} // prettier-ignore

function dataCell(cell: Hole, column: Column | undefined, isName: boolean): Html {
  return isName ? html`<th scope="row">${cell}</th>` : html`<td${lookOf(column)}>${cell}</td>`;
} // prettier-ignore

function lookOf(column: Column | undefined): Hole {
  return typeof column === 'object' && column.look !== undefined && html` class="${column.look}"`;
}

export function facts(list: readonly (readonly [name: string, value: Hole])[], look = 'facts'): Html {
  return html`<dl class="${look}">
    ${list.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** The beginning of a list, and a note if there is more. `what` names the things, plural; `count`: if `all` is not all of them. */
export function firstRows<T>(
  all: readonly T[],
  what: string,
  count = all.length,
): { readonly shown: readonly T[]; readonly note: Html | null } {
  if (count <= MAX_PAGE) return { shown: all, note: null };
  return {
    shown: all.slice(0, MAX_PAGE),
    note: html`<p>The first ${grouped(MAX_PAGE)} of ${grouped(count)} ${what}. Use the API to list all of them.</p>`,
  };
}
