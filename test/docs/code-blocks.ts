/** The code blocks of a page in docs/. */
import { readFileSync } from 'node:fs';

/** The blocks in a language, in order; at least one. */
export function codeBlocks(page: string, language: string): string[] {
  const text = readFileSync(`docs/${page}`, 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, code = '']) => code,
  );
  if (blocks.length === 0) throw new Error(`docs/${page} has no block of ${language}`);
  return blocks;
}
