/** Text of a part, or of a header, as a mail program shows it. */
export function quotedPrintable(text: string): string {
  const words = text.replaceAll(/\r\n /g, ' ').replaceAll(/\?= =\?/g, '?==?'); // words of a header that touch
  const header = words.replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, form: string, word: string) =>
    form.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString('utf8') : bytesOf(word.replaceAll('_', ' ')),
  );
  return header === words ? bytesOf(text.replaceAll('=\r\n', '')) : header;
}

const bytesOf = (text: string): string =>
  Buffer.from(text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))), 'latin1').toString('utf8'); // prettier-ignore
