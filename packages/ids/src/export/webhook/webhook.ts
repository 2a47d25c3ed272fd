// SPDX-License-Identifier: Apache-2.0
/**
 * Records to an HTTP receiver: POST of a JSON array. A 2xx answer means that the receiver has them all.
 *
 * I1: 400, 413 and 422 are about the records: refused. Every other failure may end when the receiver or the settings are mended, and is
 *     tried again: 401, 403 and 404 as well, so a wrong token loses nothing.
 * I2: redirects are not followed and no proxy is used: records go to the host of the URL alone.
 * I3: a body has at most BODY_BYTES bytes, unless one record alone has more; an answer is read up to ANSWER_BYTES.
 */
import {Agent, type IncomingMessage, request as requestHttp} from 'node:http';
import {request as requestHttps, Agent as SecureAgent} from 'node:https';
import {createSecureContext} from 'node:tls';
import {messageOf as wordsOf} from '../../system.ts';
import {dedupId, ExportError, type Exporter, type ExporterOptions, type ExportItem} from '../exporter.ts';
import {needsEvent, shapeOf} from '../shapes/shape.ts';
import {keysIn, messageId, signedHeaders} from './signature.ts';

const BODY_BYTES = 1_048_576;
const ANSWER_BYTES = 65_536;
const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);

/** Milliseconds; undefined: there is no such header, or no time in it. Ref: RFC 9110, section 10.2.3. */
export const retryAfterMs = (text: string | undefined, nowMs: number): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(at - nowMs, 0);
};

type Part = {readonly items: readonly ExportItem[]; readonly body: string};

/** One body for as many records as fit. */
const partsOf = (items: readonly ExportItem[], toShape: (item: ExportItem) => object): readonly Part[] => {
  const parts: {items: ExportItem[]; texts: string[]; bytes: number}[] = [];
  for (const item of items) {
    const text = JSON.stringify(toShape(item));
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

/** Throws ExportError for files that cannot be used. */
const agentOf = (isSecure: boolean, {files: {ca, cert, key}}: ExporterOptions): Agent => {
  const limits = {keepAlive: true, maxSockets: 1, scheduling: 'lifo'} as const;
  if (!isSecure) return new Agent(limits);
  const tls = {
    ...(ca === undefined ? {} : {ca}),
    ...(cert === undefined || key === undefined ? {} : {cert, key}),
  };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new ExportError('unavailable', `certificate or key cannot be used: ${wordsOf(error)}`, {cause: error});
  }
  return new SecureAgent({...limits, ...tls, minVersion: 'TLSv1.2'});
};

const keysOf = (secret: string | undefined): readonly Buffer[] => {
  const keys = secret === undefined ? [] : keysIn(secret);
  if (typeof keys === 'string') throw new ExportError('unavailable', `secretFile ${keys}`);
  return keys;
};

export const openWebhook = (options: ExporterOptions): Exporter => {
  const {settings, files, observer, clock} = options;
  const url = new URL(settings.url);
  const isSecure = url.protocol === 'https:';
  const agent = agentOf(isSecure, options);
  const keys = keysOf(files.secret);
  const toShape = shapeOf(settings.format, observer);

  const post = async ({items, body}: Part, signal: AbortSignal): Promise<void> => {
    const id = messageId(items.map(dedupId));
    const headers = {
      'user-agent': `palisade/${observer.version}`,
      ...files.headers,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...signedHeaders(id, clock.now(), body, keys),
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = (isSecure ? requestHttps : requestHttp)(url, {method: 'POST', agent, headers, signal}, resolve);
      request.once('error', reject);
      request.end(body);
    }).catch((error: unknown) => {
      throw new ExportError('unavailable', wordsOf(error), {cause: error});
    });
    await readToEnd(response);
    const {statusCode: status = 0} = response;
    if (status >= 200 && status < 300) return;
    const wait = retryAfterMs(response.headers['retry-after'], clock.now());
    throw new ExportError(
      REFUSED.has(status) ? 'refused' : 'unavailable',
      `the receiver answered ${status}${status >= 300 && status < 400 ? '; redirects are not followed' : ''}`,
      wait === undefined ? {} : {retryAfterMs: wait},
    );
  };

  return {
    needsEvent: needsEvent(settings.format),
    send: async (items, signal) => {
      for (const part of partsOf(items, toShape)) await post(part, signal);
    },
    close: async () => agent.destroy(),
  };
};

/** So that the connection can be used again; a longer answer ends it. What breaks in an answer does not change its status. */
const readToEnd = async (response: IncomingMessage): Promise<void> => {
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > ANSWER_BYTES) break; // destroys it
    }
  } catch {}
};
