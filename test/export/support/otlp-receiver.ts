// SPDX-License-Identifier: Apache-2.0
/** An OTLP/HTTP receiver of logs on loopback, which decodes by the published protos. */
import {createServer, type IncomingHttpHeaders} from 'node:http';
import type {AddressInfo} from 'node:net';
import {gunzipSync} from 'node:zlib';
import {otlpMessages} from './published-protos.ts';

/** OTLP/JSON, as far as tests look. */
export type AnyValue = {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly arrayValue?: {readonly values?: readonly AnyValue[]};
  readonly kvlistValue?: {readonly values?: readonly KeyValue[]};
};
export type KeyValue = {readonly key: string; readonly value?: AnyValue};
export type LogRecordJson = {
  readonly timeUnixNano: string;
  readonly observedTimeUnixNano: string;
  readonly severityNumber: string | number;
  readonly severityText?: string;
  readonly eventName?: string;
  readonly body?: AnyValue;
  readonly attributes?: readonly KeyValue[];
};
export type LogsJson = {
  readonly resourceLogs: readonly {
    readonly resource: {readonly attributes: readonly KeyValue[]};
    readonly scopeLogs: readonly {readonly scope: object; readonly logRecords: readonly LogRecordJson[]}[];
  }[];
};

const plain = (value: AnyValue | undefined): unknown => {
  if (value?.kvlistValue !== undefined) return fieldsOf(value.kvlistValue.values);
  if (value?.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(plain);
  if (value?.intValue !== undefined) return Number(value.intValue);
  return value?.stringValue ?? value?.boolValue ?? value?.doubleValue;
};
export const fieldsOf = (list: readonly KeyValue[] | undefined): Record<string, unknown> =>
  Object.fromEntries((list ?? []).map(({key, value}) => [key, plain(value)]));

/** Log records with their attributes, body and resource as plain objects. */
export const logsOf = ({resourceLogs}: LogsJson) =>
  resourceLogs.flatMap(({resource, scopeLogs}) =>
    scopeLogs.flatMap(({scope, logRecords}) =>
      logRecords.map(record => ({
        ...record,
        attributes: fieldsOf(record.attributes),
        body: plain(record.body),
        resource: fieldsOf(resource.attributes),
        scope,
      })),
    ),
  );
export type ReceivedLog = ReturnType<typeof logsOf>[number];
export const uidsOf = (logs: readonly ReceivedLog[]): readonly string[] =>
  logs.map(({attributes}) => String(attributes['log.record.uid']));

export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
};
export const ACCEPTED: Answer = {status: 200, headers: {'content-type': 'application/x-protobuf'}};

export type OtlpReceiver = AsyncDisposable & {
  readonly port: number;
  /** What was answered with 2xx. */
  readonly logs: ReceivedLog[];
  readonly requests: {readonly path: string; readonly headers: IncomingHttpHeaders; readonly records: number}[];
};

/** `answer` undefined: the connection is cut without an answer. */
export async function startOtlpReceiver(
  answer: (logs: readonly ReceivedLog[], request: number) => Answer | undefined = () => ACCEPTED,
  port = 0,
): Promise<OtlpReceiver> {
  const logs: ReceivedLog[] = [];
  const requests: {path: string; headers: IncomingHttpHeaders; records: number}[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sent = Buffer.concat(chunks);
      const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      const came = logsOf(otlpMessages().request(bytes) as unknown as LogsJson);
      requests.push({path: request.url ?? '', headers: request.headers, records: came.length});
      const given = answer(came, requests.length);
      if (given === undefined) return void request.socket.destroy();
      if (given.status < 300) logs.push(...came);
      response.writeHead(given.status, given.headers);
      response.end(given.body);
    });
  });
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    logs,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
