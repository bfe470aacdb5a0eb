/** What a query asks for, and its range has none of. */
export interface Unseen {
  readonly events: readonly string[];
  readonly fields: readonly string[];
}

/** What no part saw. */
export function unseenByAll(parts: readonly Unseen[]): Unseen {
  const [first, ...others] = parts;
  if (first === undefined) return { events: [], fields: [] };
  return {
    events: first.events.filter((event) => others.every(({ events }) => events.includes(event))),
    fields: first.fields.filter((field) => others.every(({ fields }) => fields.includes(field))),
  };
}
