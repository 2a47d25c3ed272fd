// SPDX-License-Identifier: Apache-2.0
/**
 * Has certificates and revocation lists made or read in a process of its own, which gives back its memory; the pages of a thread stay
 * in V8's pool for a while. The two talk over a channel: what NODE_OPTIONS loads may write to stdout.
 */
import {fork} from 'node:child_process';
import {once} from 'node:events';
import type {Readable} from 'node:stream';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';
import type {CertificateWish, Issued} from './issue-certificates.ts';
import type {ListsRead, ListWish} from './revocation-lists.ts';

const answerTo = async <T>(wish: CertificateWish | ListWish, what: string): Promise<T> => {
  const file = `./issue-certificates.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  await once(child, 'spawn'); // rejects where it cannot be started
  const ended = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;
  let answer: T | undefined;
  child.once('message', message => {
    answer = message as T;
  });
  child.send(wish, () => {}); // its exit reports more
  const [words, [code, signal]] = await Promise.all([text(child.stderr as Readable), ended]);
  if (answer !== undefined) return answer;
  throw new Error(`${what} (${signal ?? `exit ${code}`}): ${words.trim()}`);
};

export const issue = (wish: CertificateWish): Promise<Issued> => answerTo(wish, 'certificate could not be issued');

export const readLists = (wish: ListWish): Promise<ListsRead> => answerTo(wish, 'revocation list could not be read');
