// SPDX-License-Identifier: Apache-2.0
/** grpc.reflection v1 and v1alpha over the generated descriptors: what grpcurl and its like ask before they call. */
import {type DescFile, type DescMessage, type DescService, toBinary} from '@bufbuild/protobuf';
import {FileDescriptorProtoSchema} from '@bufbuild/protobuf/wkt';
import {Code, type ConnectRouter} from '@connectrpc/connect';
import {
  ServerReflection,
  type ServerReflectionRequest,
} from '@palisade/ids-wire/gen/grpc/reflection/v1/reflection_pb.ts';
import {
  type ServerReflectionRequest as ServerReflectionRequestV1Alpha,
  ServerReflection as ServerReflectionV1Alpha,
} from '@palisade/ids-wire/gen/grpc/reflection/v1alpha/reflection_pb.ts';

type Index = {
  readonly services: readonly string[];
  /** File name → file. */
  readonly files: ReadonlyMap<string, DescFile>;
  /** Full name of a service, method, message, field or enum → file. */
  readonly symbols: ReadonlyMap<string, DescFile>;
};

const indexOf = (services: readonly DescService[]): Index => {
  const files = new Map<string, DescFile>();
  const add = (file: DescFile): void => {
    if (files.has(file.proto.name)) return;
    files.set(file.proto.name, file);
    for (const dependency of file.dependencies) add(dependency);
  };
  for (const service of services) add(service.file);
  const symbols = new Map<string, DescFile>();
  const addMessage = (message: DescMessage, file: DescFile): void => {
    symbols.set(message.typeName, file);
    for (const field of message.fields) symbols.set(`${message.typeName}.${field.name}`, file);
    for (const nested of message.nestedMessages) addMessage(nested, file);
    for (const nested of message.nestedEnums) symbols.set(nested.typeName, file);
  };
  for (const file of files.values()) {
    for (const message of file.messages) addMessage(message, file);
    for (const each of file.enums) symbols.set(each.typeName, file);
    for (const service of file.services) {
      symbols.set(service.typeName, file);
      for (const rpc of service.methods) symbols.set(`${service.typeName}.${rpc.name}`, file);
    }
  }
  return {services: services.map(service => service.typeName), files, symbols};
};

/** The file with everything that it imports, each before those that need it last. */
const withDependencies = (file: DescFile, seen = new Set<string>()): Uint8Array<ArrayBuffer>[] => {
  if (seen.has(file.proto.name)) return [];
  seen.add(file.proto.name);
  const own = toBinary(FileDescriptorProtoSchema, file.proto);
  return [own, ...file.dependencies.flatMap(dependency => withDependencies(dependency, seen))];
};

type Ask = (ServerReflectionRequest | ServerReflectionRequestV1Alpha)['messageRequest'];

const answer = (index: Index, ask: Ask) => {
  const missing = (what: string) =>
    ({case: 'errorResponse', value: {errorCode: Code.NotFound, errorMessage: `${what} was not found`}}) as const;
  const found = (file: DescFile | undefined, what: string) =>
    file === undefined
      ? missing(what)
      : ({case: 'fileDescriptorResponse', value: {fileDescriptorProto: withDependencies(file)}} as const);
  switch (ask.case) {
    case 'listServices':
      return {case: 'listServicesResponse', value: {service: index.services.map(name => ({name}))}} as const;
    case 'fileByFilename':
      return found(index.files.get(ask.value), `file ${ask.value}`);
    case 'fileContainingSymbol':
      return found(index.symbols.get(ask.value), `symbol ${ask.value}`);
    case 'allExtensionNumbersOfType':
      return index.symbols.has(ask.value)
        ? ({
            case: 'allExtensionNumbersResponse',
            value: {baseTypeName: ask.value, extensionNumber: [] as number[]},
          } as const)
        : missing(`type ${ask.value}`);
    case 'fileContainingExtension':
      return missing(`extension ${ask.value.extensionNumber} of ${ask.value.containingType}`);
    case undefined:
      return {
        case: 'errorResponse',
        value: {errorCode: Code.InvalidArgument, errorMessage: 'the request is empty'},
      } as const;
  }
};

export const registerReflection = (router: ConnectRouter, services: readonly DescService[]): void => {
  const index = indexOf([...services, ServerReflection, ServerReflectionV1Alpha]);
  router.service(ServerReflection, {
    serverReflectionInfo: async function* (requests) {
      for await (const request of requests)
        yield {
          validHost: request.host,
          originalRequest: request,
          messageResponse: answer(index, request.messageRequest),
        };
    },
  });
  router.service(ServerReflectionV1Alpha, {
    serverReflectionInfo: async function* (requests) {
      for await (const request of requests)
        yield {
          validHost: request.host,
          originalRequest: request,
          messageResponse: answer(index, request.messageRequest),
        };
    },
  });
};
