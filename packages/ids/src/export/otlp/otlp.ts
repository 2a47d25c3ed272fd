// SPDX-License-Identifier: Apache-2.0
/**
 * OTLP logs over HTTP, in protobuf, by the serializer of the OpenTelemetry SDK. Ref: OTLP specification 1.10, OTLP/HTTP.
 *
 * The SDK's own exporter is not used: it reports a partial success as a success, retries on its own clock, and reads settings from the
 * environment. Here a batch counts as delivered only when the receiver's answer says so.
 *
 * I1: 2xx: delivered. What a partial success rejects is counted and not sent again, as the specification asks.
 * I2: 400 and 413: refused; the runner sends fewer until it knows which records those are.
 * I3: 429, 502, 503, 504, and no answer: unavailable, with the time that Retry-After asks for. Every other answer too: a wrong token or
 *     path is mended in the settings, so nothing is dropped.
 */
import {promisify} from 'node:util';
import {gzip} from 'node:zlib';
import type {Resource} from '@opentelemetry/resources';
import {
  ExportError,
  type Exporter,
  type ExporterOptions,
  type ExportItem,
  type Observer,
  written,
} from '../exporter.ts';
import {openPoster} from '../http-post.ts';
import {needsEvent, shapeOf} from '../shapes/shape.ts';
import {isPage, partialSuccessOf, whyRefused} from './otlp-answer.ts';
import {type LogContext, toLogRecord} from './otlp-record.ts';

/** Bad data, and too much of it: what sending again does not mend. */
const REFUSED: readonly number[] = [400, 413];
/** Of a receiver's URL that names no path. Ref: OTLP exporter configuration, OTEL_EXPORTER_OTLP_ENDPOINT. */
const LOGS_PATH = 'v1/logs';

/** `otlp+http://host:4318` → `http://host:4318/v1/logs`; another path stays as it is. */
export const logsUrlOf = (text: string): URL => {
  const url = new URL(text.replace(/^otlp\+/, ''));
  return url.pathname === '/' ? new URL(LOGS_PATH, url) : url;
};

const compress = promisify(gzip);

/** Loaded with the first batch: 22 MiB and 0.1 s that a server without this exporter does not spend. */
const loadSdk = async () => {
  const [{ProtobufLogsSerializer}, {resourceFromAttributes}] = await Promise.all([
    import('@opentelemetry/otlp-transformer'),
    import('@opentelemetry/resources'),
  ]);
  return {serializer: ProtobufLogsSerializer, resourceFromAttributes};
};
type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** One for each endpoint of a batch. */
const resources = (
  resourceFromAttributes: Sdk['resourceFromAttributes'],
  {hostname, version}: Observer,
): LogContext['resourceOf'] => {
  const known = new Map<string, Resource>();
  return endpoint => {
    const before = known.get(endpoint);
    if (before !== undefined) return before;
    const resource = resourceFromAttributes({
      'service.name': 'palisade',
      'service.version': version,
      'host.name': hostname,
      'palisade.endpoint': endpoint,
    });
    known.set(endpoint, resource);
    return resource;
  };
};

export function openOtlp({settings, files, observer, clock}: ExporterOptions): Exporter {
  const url = logsUrlOf(settings.url);
  const isCompressed = settings.options['compression'] !== 'none';
  const bodyOf = shapeOf(settings.format, observer);
  const poster = openPoster(url, files, clock);
  const headers = {
    'user-agent': `palisade/${observer.version}`,
    ...files.headers,
    'content-type': 'application/x-protobuf',
    ...(isCompressed ? {'content-encoding': 'gzip'} : {}),
  };
  let sdk: Promise<Sdk> | undefined;
  const loaded = (): Promise<Sdk> => {
    sdk ??= loadSdk();
    return sdk;
  };

  const encode = async (items: readonly ExportItem[]): Promise<Uint8Array> => {
    const {serializer, resourceFromAttributes} = await loaded();
    const context = {
      observedMs: clock.now(),
      resourceOf: resources(resourceFromAttributes, observer),
      scope: {name: 'palisade', version: observer.version},
      bodyOf,
    };
    const bytes = written(() => serializer.serializeRequest(items.map(item => toLogRecord(item, context))));
    if (bytes === undefined) throw new ExportError('unwritable', 'the records could not be encoded');
    return isCompressed ? compress(bytes) : bytes;
  };

  return {
    needsEvent: needsEvent(settings.format),
    send: async (items, signal) => {
      const answer = await poster.post(await encode(items), headers, signal);
      const {status} = answer;
      if (status >= 200 && status < 300 && !isPage(answer)) {
        const {serializer} = await loaded();
        return partialSuccessOf(answer, body => serializer.deserializeResponse(body));
      }
      const page = isPage(answer) ? ': a web page, which is no OTLP receiver; check the path of the URL' : '';
      const words = whyRefused(answer);
      throw new ExportError(
        REFUSED.includes(status) ? 'refused' : 'unavailable',
        `${url.host} answered ${status}${page}`,
        {
          ...(answer.retryAfterMs === undefined ? {} : {retryAfterMs: answer.retryAfterMs}),
          ...(words === '' ? {} : {words}),
        },
      );
    },
    close: async () => poster.close(),
  };
}
