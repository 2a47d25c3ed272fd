// SPDX-License-Identifier: Apache-2.0
/** Bytes to lines. */

/** A line that is longer than the reader allows. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';
}

/** Lines without `\n` or `\r\n`; an unfinished last line is given too, empty lines are left out. Throws LineTooLongError. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, lineBytesMax: number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', {ignoreBOM: true});
  let rest = '';
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.decode(chunk, {stream: true}).split('\n');
    rest += first; // not searched again: a line may come in many pieces
    const lines = others.length === 0 ? [] : [rest, ...others];
    rest = lines.pop() ?? rest;
    if (rest.length > lineBytesMax) throw new LineTooLongError(`a line is longer than ${lineBytesMax} bytes`);
    for (const line of lines) {
      const text = line.endsWith('\r') ? line.slice(0, -1) : line;
      if (text !== '') yield text;
    }
  }
  rest += decoder.decode();
  if (rest.trim() !== '') yield rest;
}
