// SPDX-License-Identifier: Apache-2.0
const BLOCK_CHARACTERS = 64 * 1024;

/**
 * Writes texts one after the other, at the pace of the reader. What a pipe does not take at once is otherwise held, and more of it
 * than the system takes in one call is lost (EINVAL). The stream reports a failure; nothing is written after it.
 */
export async function writeBlocks(output: NodeJS.WritableStream, texts: Iterable<string>): Promise<void> {
  const written = (block: string): Promise<boolean> =>
    new Promise(resolve => output.write(block, error => resolve(error == null)));
  let block = '';
  for (const text of texts) {
    block += text;
    if (block.length < BLOCK_CHARACTERS) continue;
    if (!(await written(block))) return;
    block = '';
  }
  if (block !== '') await written(block);
}
