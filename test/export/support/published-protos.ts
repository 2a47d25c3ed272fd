// SPDX-License-Identifier: Apache-2.0
/**
 * OTLP messages by the protos that OpenTelemetry publishes, so not by the code that writes them: the descriptors of the Python package
 * opentelemetry-proto, which `make sdk` installs with Pulumi's SDK into build/sdk/venv.
 */
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {
  createFileRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import {FileDescriptorSetSchema} from '@bufbuild/protobuf/wkt';

const PYTHON = resolve('build/sdk/venv/bin/python');
/** Of a file and of what it imports, each before what needs it; with the names of JSON, which the package leaves out. */
const PROGRAM = `
import sys
from google.protobuf import descriptor_pb2
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
files = descriptor_pb2.FileDescriptorSet()
seen = set()
def name_fields(message):
    for field in message.field:
        first, *rest = field.name.split('_')
        field.json_name = first + ''.join(word.capitalize() for word in rest)
    for nested in message.nested_type: name_fields(nested)
def add(file):
    if file.name in seen: return
    seen.add(file.name)
    for needed in file.dependencies: add(needed)
    copy = files.file.add()
    file.CopyToProto(copy)
    for message in copy.message_type: name_fields(message)
add(logs_service_pb2.DESCRIPTOR)
sys.stdout.buffer.write(files.SerializeToString())
`;

export const whyNoProtos = existsSync(PYTHON) ? '' : ' (skipped: no build/sdk/venv, which make sdk makes)';

const SERVICE = 'opentelemetry.proto.collector.logs.v1';

const load = () => {
  const done = spawnSync(PYTHON, ['-c', PROGRAM], {maxBuffer: 2 ** 24});
  if (done.status !== 0) throw new Error(`no descriptors of OTLP: ${done.stderr}`);
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, done.stdout));
  const message = (name: string): DescMessage => {
    const found = registry.getMessage(name);
    if (found === undefined) throw new Error(`no message ${name}`);
    return found;
  };
  return {
    /** In OTLP/JSON. */
    request: (bytes: Uint8Array): JsonObject => {
      const type = message(`${SERVICE}.ExportLogsServiceRequest`);
      return toJson(type, fromBinary(type, bytes)) as JsonObject;
    },
    response: (json: JsonObject): Uint8Array => {
      const type = message(`${SERVICE}.ExportLogsServiceResponse`);
      return toBinary(type, fromJson(type, json));
    },
  };
};

let loaded: ReturnType<typeof load> | undefined;
export const otlpMessages = (): ReturnType<typeof load> => {
  loaded ??= load();
  return loaded;
};
