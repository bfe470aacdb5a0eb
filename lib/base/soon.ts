/** What is here already, or comes later. For requests that need nothing from a database: an `await` costs each a turn. */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value, at once if it is here. */
export function whenHere<T, R>(value: Soon<T>, use: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
