import { made } from './element.ts';

/** A sentence of the server as nodes: what stands in backticks is code, everything else is text. */
export function codeText(sentence: string): readonly (Node | string)[] {
  return sentence.split(/`([^`\n]+)`/).flatMap((part, at) => (part === '' ? [] : [at % 2 === 1 ? made('code', part) : part]));
} // prettier-ignore
