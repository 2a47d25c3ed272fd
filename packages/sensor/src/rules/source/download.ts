// SPDX-License-Identifier: Apache-2.0
/**
 * Rules from a URL. The newest copy stays in the data folder: a server that cannot reach the URL uses it, and says how old it is; one that is
 * reached is asked only whether it has a newer one (ETag, Last-Modified).
 */
import {createHash} from 'node:crypto';
import {mkdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {RULE_FILE_BYTES_MAX} from '../../limits.ts';
import type {Clock, Timers} from '../../ports.ts';
import {replaceFile} from '../../replace-file.ts';
import {messageOf} from '../../sensor-error.ts';
import {shownPlace} from './rule-file.ts';

export type DownloadOptions = {
  /** Made if absent. */
  readonly cacheDir: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};
/** `warning`: the URL could not be reached, this is the copy of an earlier time. */
export type Downloaded = {readonly bytes: Buffer; readonly warning: string | undefined};

/** Beside the copy. */
type Mark = {
  readonly url: string;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** Of the copy: one that was damaged is fetched again. */
  readonly sha256: string;
  readonly fetchedMs: number;
};
type Copy = {readonly bytes: Buffer; readonly mark: Mark};

export const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Undefined: the bytes are those that the user named. */
export const checksumFault = (bytes: Buffer, wanted: string | undefined): string | undefined => {
  const sum = sha256Of(bytes);
  return wanted === undefined || sum === wanted.toLowerCase()
    ? undefined
    : `its SHA-256 is ${sum}, not ${wanted.toLowerCase()}: check the source, or correct the checksum`;
};

/** Of the copy of a URL; the mark is written at each fetch. */
export const pathsOf = (cacheDir: string, url: string): {readonly body: string; readonly mark: string} => {
  const name = createHash('sha256').update(url).digest('hex').slice(0, 20);
  return {body: join(cacheDir, `${name}.body`), mark: join(cacheDir, `${name}.json`)};
};

/** Undefined: there is none that can be used. */
const readCopy = async (cacheDir: string, url: string): Promise<Copy | undefined> => {
  const paths = pathsOf(cacheDir, url);
  try {
    const mark = JSON.parse(await readFile(paths.mark, 'utf8')) as Mark;
    const bytes = await readFile(paths.body);
    return mark.url === url && mark.sha256 === sha256Of(bytes) ? {bytes, mark} : undefined;
  } catch {
    return undefined; // it is fetched as for the first time
  }
};

const writeCopy = async (cacheDir: string, {bytes, mark}: Copy): Promise<void> => {
  await mkdir(cacheDir, {recursive: true, mode: 0o700});
  const paths = pathsOf(cacheDir, mark.url);
  await replaceFile(paths.body, bytes);
  await replaceFile(paths.mark, JSON.stringify(mark));
};

/** Throws when more comes than a rule file may have. */
const readBody = async (response: Response): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.body !== null)
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > RULE_FILE_BYTES_MAX) throw new Error(`more than ${RULE_FILE_BYTES_MAX} bytes came`);
      chunks.push(chunk);
    }
  return Buffer.concat(chunks);
};

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
const ageOf = (ms: number): string =>
  ms >= DAY_MS ? counted(Math.floor(ms / DAY_MS), 'day') : counted(Math.max(0, Math.floor(ms / HOUR_MS)), 'hour');

/** The cause of a failed fetch is in its cause. */
const wordsOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && cause.message !== '' ? cause.message : messageOf(error);
};

/** Undefined: the copy is still the newest. Throws with the reason in words. */
const ask = async (url: string, mark: Mark | undefined, options: DownloadOptions): Promise<Copy | undefined> => {
  const late = new AbortController();
  const timer = options.timers.after(options.timeoutMs, () =>
    late.abort(new Error(`no answer within ${options.timeoutMs / 1000} s`)),
  );
  const headers: Record<string, string> = {'user-agent': 'palisade'};
  if (mark?.etag !== undefined) headers['if-none-match'] = mark.etag;
  if (mark?.lastModified !== undefined) headers['if-modified-since'] = mark.lastModified;
  try {
    const response = await fetch(url, {headers, signal: AbortSignal.any([options.signal, late.signal])});
    if (url.startsWith('https:') && !response.url.startsWith('https:'))
      throw new Error(`it leads to an address without TLS: ${shownPlace(response.url)}`);
    if (response.status === 304 && mark !== undefined) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`the server answered ${response.status}`);
    }
    const bytes = await readBody(response);
    const header = (name: string): string | undefined => response.headers.get(name) ?? undefined;
    const now = options.clock.now();
    const marked = {url, etag: header('etag'), lastModified: header('last-modified')};
    return {bytes, mark: {...marked, sha256: sha256Of(bytes), fetchedMs: now}};
  } finally {
    timer.cancel();
  }
};

/** Throws an Error in words: there is neither an answer nor a copy, or the checksum is another. */
export const download = async (
  url: string,
  sha256: string | undefined,
  options: DownloadOptions,
): Promise<Downloaded> => {
  const found = await readCopy(options.cacheDir, url);
  const copy = found !== undefined && checksumFault(found.bytes, sha256) === undefined ? found : undefined;
  let fresh: Copy | undefined;
  try {
    fresh = await ask(url, copy?.mark, options);
  } catch (error) {
    if (options.signal.aborted) throw error;
    if (copy === undefined) throw new Error(`cannot be fetched: ${wordsOf(error)}`, {cause: error});
    const age = ageOf(options.clock.now() - copy.mark.fetchedMs);
    const when = new Date(copy.mark.fetchedMs).toISOString();
    const warning = `${shownPlace(url)} cannot be fetched (${wordsOf(error)}): the copy of ${when}, ${age} old, is used`;
    return {bytes: copy.bytes, warning};
  }
  if (fresh === undefined) {
    if (copy === undefined) throw new Error('cannot be fetched: the server answered 304 without a copy');
    await writeCopy(options.cacheDir, {...copy, mark: {...copy.mark, fetchedMs: options.clock.now()}});
    return {bytes: copy.bytes, warning: undefined};
  }
  const fault = checksumFault(fresh.bytes, sha256);
  if (fault !== undefined) throw new Error(fault);
  await writeCopy(options.cacheDir, fresh);
  return {bytes: fresh.bytes, warning: undefined};
};
