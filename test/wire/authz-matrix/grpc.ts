// SPDX-License-Identifier: Apache-2.0
/** Every method of every gRPC service, called by its name. */
import type {DescMethod, DescService} from '@bufbuild/protobuf';
import {Code, ConnectError, createClient, createConnectRouter, type Transport} from '@connectrpc/connect';
import {IDS} from '@palisade/ids-wire/gen/google/cloud/ids/v1/ids_pb.ts';
import {Locations} from '@palisade/ids-wire/gen/google/cloud/location/locations_pb.ts';
import {Operations} from '@palisade/ids-wire/gen/google/longrunning/operations_pb.ts';
import {Health} from '@palisade/ids-wire/gen/grpc/health/v1/health_pb.ts';
import {ServerReflection} from '@palisade/ids-wire/gen/grpc/reflection/v1/reflection_pb.ts';
import {ServerReflection as ServerReflectionAlpha} from '@palisade/ids-wire/gen/grpc/reflection/v1alpha/reflection_pb.ts';
import {FakeSensorHost} from '../../../packages/ids/src/testing/fake-sensor-host.ts';
import {openMemoryStore} from '../../../packages/store/src/drivers/memory/index.ts';
import {startTestServer} from '../../ids/test-server.ts';

/** What this test can call. */
const KNOWN: readonly DescService[] = [IDS, Operations, Locations, Health, ServerReflection, ServerReflectionAlpha];

/** `SERVICE/METHOD` of all that the gRPC side answers. */
export const servedMethods = async (): Promise<readonly string[]> => {
  const {api, close} = await startTestServer({store: await openMemoryStore(), sensorHost: new FakeSensorHost()});
  const router = createConnectRouter();
  api.routes(router);
  await close();
  return router.handlers.map(({requestPath}) => requestPath.slice(1));
};

type Call = (request: unknown, options: {readonly signal: AbortSignal}) => unknown;

const find = (path: string): {readonly service: DescService; readonly method: DescMethod} => {
  for (const service of KNOWN)
    for (const method of service.methods) if (`${service.typeName}/${method.name}` === path) return {service, method};
  throw new Error(`no method ${path}`);
};

/** The first answer of a stream is enough. */
const answerOf = async (called: unknown): Promise<void> => {
  if (called === null || typeof called !== 'object' || !(Symbol.asyncIterator in called)) return void (await called);
  for await (const _ of called as AsyncIterable<unknown>) return;
};

/** The outcome, `OK` or the name of a code, and the message. */
export const callMethod = async (
  transport: Transport,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<{readonly code: string; readonly message: string}> => {
  const {service, method} = find(path);
  const client = createClient(service, transport) as unknown as Record<string, Call>;
  const ends = new AbortController();
  const ask = async function* () {
    yield {messageRequest: {case: 'listServices', value: ''}};
  };
  const request = method.methodKind === 'bidi_streaming' ? ask() : fields;
  try {
    await answerOf(client[method.localName]?.(request, {signal: ends.signal}));
    return {code: 'OK', message: ''};
  } catch (error) {
    const {code, rawMessage} = ConnectError.from(error);
    return {code: Code[code] ?? String(code), message: rawMessage};
  } finally {
    ends.abort();
  }
};
