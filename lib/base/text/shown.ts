/** What a message shows of what it is about. */

/** Names, problems or warnings that an answer lists; of more it lists the first. */
export const MOST_TOLD = 20;

/** The first characters (UTF-16 units) of a text that may be as long as somebody likes. */
export const shortened = (text: string, most = 60): string =>
  text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
