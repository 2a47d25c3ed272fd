// SPDX-License-Identifier: Apache-2.0
/**
 * Records to an HTTP receiver: POST of a JSON array. A 2xx answer means that the receiver has them all.
 *
 * I1: 400, 413 and 422 are about the records: refused. Every other failure may end when the receiver or the settings are mended, and is
 *     tried again: 401, 403 and 404 as well, so a wrong token loses nothing.
 * I2: records go to the host of the URL alone (http-post.ts).
 * I3: a body has at most BODY_BYTES bytes, unless one record alone has more.
 */
import {dedupId, ExportError, type Exporter, type ExporterOptions, type ExportItem, written} from '../exporter.ts';
import {openPoster} from '../http-post.ts';
import {needsEvent, shapeOf} from '../shapes/shape.ts';
import {keysIn, messageId, signedHeaders} from './signature.ts';

const BODY_BYTES = 1_048_576;
const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);

type Part = {readonly items: readonly ExportItem[]; readonly body: string};

/** One body for as many records as fit. */
const partsOf = (items: readonly ExportItem[], toShape: (item: ExportItem) => object): readonly Part[] => {
  const parts: {items: ExportItem[]; texts: string[]; bytes: number}[] = [];
  const texts = written(() => items.map(item => JSON.stringify(toShape(item))));
  for (const [at, item] of items.entries()) {
    const text = texts[at] ?? '';
    const bytes = Buffer.byteLength(text) + 1;
    const last = parts.at(-1);
    if (last === undefined || last.bytes + bytes > BODY_BYTES)
      parts.push({items: [item], texts: [text], bytes: bytes + 1});
    else {
      last.items.push(item);
      last.texts.push(text);
      last.bytes += bytes;
    }
  }
  return parts.map(part => ({items: part.items, body: `[${part.texts.join(',')}]`}));
};

/** Throws ExportError for a file that cannot be used. */
const keysOf = (secret: string | undefined): readonly Buffer[] => {
  const keys = secret === undefined ? [] : keysIn(secret);
  if (typeof keys === 'string') throw new ExportError('unavailable', `secretFile ${keys}`);
  return keys;
};

export const openWebhook = (options: ExporterOptions): Exporter => {
  const {settings, files, observer, clock} = options;
  const url = new URL(settings.url);
  const poster = openPoster(url, files, clock);
  const keys = keysOf(files.secret);
  const toShape = shapeOf(settings.format, observer);

  const post = async ({items, body}: Part, signal: AbortSignal): Promise<void> => {
    const id = messageId(items.map(dedupId));
    const headers = {
      'user-agent': `palisade/${observer.version}`,
      ...files.headers,
      'content-type': 'application/json',
      ...signedHeaders(id, clock.now(), body, keys),
    };
    const {status, retryAfterMs} = await poster.post(Buffer.from(body), headers, signal);
    if (status >= 200 && status < 300) return;
    throw new ExportError(
      REFUSED.has(status) ? 'refused' : 'unavailable',
      `the receiver answered ${status}${status >= 300 && status < 400 ? '; redirects are not followed' : ''}`,
      retryAfterMs === undefined ? {} : {retryAfterMs},
    );
  };

  return {
    needsEvent: needsEvent(settings.format),
    send: async (items, signal) => {
      for (const part of partsOf(items, toShape)) await post(part, signal);
    },
    close: async () => poster.close(),
  };
};
