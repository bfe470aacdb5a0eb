/** What a dashboard's YAML must be, as JSON Schema 2020-12. `wl dashboard schema` prints it, and files are checked against it. */
import { FORMATS, INPUT_CHECKS, CARD_KINDS, VIZ } from './dashboard.ts';
import { MAX_QUERY_BYTES } from '../dsl/compile.ts';

/** A title, a label, an option's value. */
const MAX_TITLE = 200;
const MAX_TEXT = 20_000;
/** As many characters as an id may have. */
const MAX_INPUT = 512;
export const DEFAULT_ROWS = 1_000;

/** Ids appear in URLs and file names. */
const ID_PATTERN = '^[a-z0-9][a-z0-9_-]{0,63}$';
const NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_]{0,63}$';

const whole = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum });

function closed(required: readonly string[], properties: Readonly<Record<string, unknown>>, description?: string) {
  const about = description === undefined ? {} : { description };
  const needed = required.length === 0 ? {} : { required };
  return { type: 'object', ...about, ...needed, additionalProperties: false, properties };
}

const title = { type: 'string', minLength: 1, maxLength: MAX_TITLE };
const description = { type: 'string', maxLength: 2_000, description: 'A sentence or two of plain text.' };
const query = {
  type: 'string',
  maxLength: MAX_QUERY_BYTES, // in UTF-16 units
  description: 'A query; {{name}} is replaced with the value of a variable, outside of quotes.',
};
const fragment = {
  type: 'string',
  maxLength: MAX_QUERY_BYTES, // in UTF-16 units
  description: 'Part of a query, such as a whole stage; if it is empty, a stage made of it alone is left out.',
};
const valueFragment = { ...fragment, description: `${fragment.description} {{value}} is the value, in quotes.` };
const scalar = { type: ['string', 'number', 'boolean'], maxLength: MAX_TITLE };
const variableName = { type: 'string', pattern: NAME_PATTERN, description: 'Its name in queries and in --var.' };

const selectOption = {
  anyOf: [scalar, closed(['value'], { value: scalar, label: title, fragment })],
};

const select = closed(
  ['name', 'kind'],
  {
    name: variableName,
    kind: { const: 'select' },
    label: title,
    default: scalar,
    options: { type: 'array', minItems: 1, maxItems: 100, items: selectOption },
    query: { ...query, description: 'A query that returns the options; it cannot use variables.' },
    column: { ...title, description: 'The column of that answer with the values; default: the first.' },
    any: { ...title, description: 'The label of an option that chooses nothing, so that the fragment is left out.' },
    fragment: valueFragment,
  },
  'One of several options, given here or found by a query.',
);

const input = closed(
  ['name', 'kind', 'default'],
  {
    name: variableName,
    kind: { const: 'input' },
    label: title,
    default: scalar,
    type: { enum: ['text', 'number'], default: 'text' },
    check: { enum: INPUT_CHECKS, default: 'any', description: 'What a text must be.' },
    maxLength: { ...whole(1, MAX_INPUT), default: 200 },
    min: { type: 'number', description: 'Of a number.' },
    max: { type: 'number', description: 'Of a number.' },
    placeholder: title,
    optional: { type: 'boolean', default: false, description: 'Whether it may be left blank; that needs a fragment.' },
    fragment: valueFragment,
  },
  'A value typed by the reader.',
); // prettier-ignore

const cohort = closed(
  ['name', 'kind'],
  {
    name: variableName,
    kind: { const: 'cohort' },
    label: title,
    default: { ...title, description: 'The name of a saved cohort; default: `any`.' },
    any: { ...title, description: 'The label of an option that chooses none, so that the fragment is left out.' },
    fragment: { ...valueFragment, description: `${fragment.description} {{value}} is the name, in quotes.` },
  },
  'One of the saved cohorts of the project; put {{name}} behind `cohort`.',
);

const range = closed(
  ['name', 'kind'],
  {
    name: variableName,
    kind: { const: 'range' },
    label: title,
    default: { type: 'string', description: 'Default: the first preset.' },
    presets: {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      items: {
        anyOf: [
          { type: 'string', maxLength: 100 },
          closed(['value'], { value: { type: 'string', maxLength: 100 }, label: title }),
        ],
      },
      description: 'For example `last 30d`, `this month`, `today`, or `2026-01-01..2026-01-31`, both days included.',
    },
  },
  'A time range; put {{name}} where a stage such as `last 7d` would be.',
);

const options = closed([], {
    x: { ...title, description: 'The column along the axis; default: the bucket, or the first group.' },
    y: {
      anyOf: [title, { type: 'array', minItems: 1, maxItems: 20, items: title }],
      description: 'The columns to draw; default: every metric.',
    },
    series: { ...title, description: 'The column whose values become one line each.' },
    ratio: closed(
      ['part', 'whole'],
      { part: title, whole: title },
      'The number is part / whole: two columns, or two names of queries.',
    ),
    format: { enum: FORMATS, description: 'percent expects 0 to 1, duration seconds; default: from the type of the column.' },
    currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217, such as EUR; requires `format: currency`.' },
    goal: {
      anyOf: [
        { type: 'number' },
        closed(['value'], { value: { type: 'number' }, label: title }),
      ],
      description: 'A line at this value.',
    },
    compare: { type: 'boolean', description: 'Shows the previous period: of a number the change, default yes; of lines and areas over time dashed lines.' },
    better: { enum: ['up', 'down'], description: 'Says whether the change is better or worse; only with a comparison.' },
    sparkline: { ...title, description: 'Below a number: the query, of several, that is drawn as a small line, such as one `by day`.' },
    stacked: { type: 'boolean', default: false },
    labels: { type: 'object', maxProperties: 20, additionalProperties: title, description: 'Other names for columns of the answer, such as `unique: People`.' },
}); // prettier-ignore

export const CARD_SCHEMA = closed(['kind'], {
  id: { type: 'string', pattern: ID_PATTERN, description: 'Unique in the dashboard; default: card-1, card-2 …' },
  title,
  description,
  kind: { enum: CARD_KINDS, description: 'What the card shows; the source of the query has to match.' },
  viz: { enum: VIZ, description: 'How it is drawn; default: what suits the kind best.' },
  query,
  queries: {
    type: 'object',
    description: 'Several queries by name, instead of one.',
    minProperties: 1,
    maxProperties: 8, // in a card
    propertyNames: { pattern: NAME_PATTERN },
    additionalProperties: query,
  },
  text: { type: 'string', maxLength: MAX_TEXT, description: 'Markdown, for cards of kind markdown.' },
  limit: { ...whole(1, 10_000), default: DEFAULT_ROWS, description: 'Rows of each query.' },
  layout: closed([], { x: whole(0, 11), w: whole(1, 12), h: whole(1, 12) }, 'On 12 columns.'),
  options,
});

export const VARIABLE_SCHEMA = {
  type: 'object',
  required: ['kind'],
  properties: { kind: { enum: ['select', 'input', 'cohort', 'range'] } },
  discriminator: { propertyName: 'kind' },
  oneOf: [select, input, cohort, range],
};

/** What the root must be, whatever its lists contain. */
export const ROOT_SCHEMA = { type: 'object', required: ['title'] };

export const DASHBOARD_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Windlass dashboard',
  type: 'object',
  required: ['version', 'title', 'sections'],
  additionalProperties: false,
  properties: {
    version: { const: 1 },
    id: {
      type: 'string',
      pattern: ID_PATTERN,
      description: 'Its name in addresses and in the store; required by sync.',
    },
    title,
    description,
    order: { ...whole(-1e9, 1e9), description: 'Position in a list of dashboards, lowest first.' },
    refresh: {
      type: 'string',
      pattern: '^[1-9][0-9]{0,4}[smh]$',
      description: 'How often a page refreshes, from 10s to 24h: 30s, 5m.',
    },
    timezone: { type: 'string', description: "IANA name; default: the project's." },
    annotations: {
      type: 'array',
      maxItems: 100, // in a dashboard
      items: closed(['at', 'text'], {
        at: {
          type: 'string',
          pattern: '^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2})?$',
          description: "A day or a time of the dashboard's zone: 2026-11-20, 2026-11-20T14:30.",
        },
        text: title,
      }),
      description: 'What happened when, such as a release: marks in every chart over time.',
    },
    variables: {
      type: 'array',
      maxItems: 30,
      items: VARIABLE_SCHEMA,
    },
    sections: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: closed(['cards'], {
        title,
        description,
        cards: { type: 'array', minItems: 1, maxItems: 100, items: CARD_SCHEMA }, // in a section
      }),
    },
  },
};
