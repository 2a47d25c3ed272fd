// SPDX-License-Identifier: Apache-2.0
/** Property maps ⇄ google.protobuf.Struct, with the very copy of google-protobuf that the SDK's stubs use. */
import {createRequire} from 'node:module';
import {decodeProperties, encodeProperties, type PropertyMap, type WireMap} from '@palisade/provider';

/** A google.protobuf.Struct message. */
export type StructMessage = {toJavaScript(): unknown};

type StructModule = {readonly Struct: {fromJavaScript(value: unknown): never}};

const require = createRequire(import.meta.url);
const fromSdk = createRequire(require.resolve('@pulumi/pulumi/package.json'));
const {Struct} = fromSdk('google-protobuf/google/protobuf/struct_pb.js') as StructModule;
const {Empty} = fromSdk('google-protobuf/google/protobuf/empty_pb.js') as {readonly Empty: new () => never};

export const emptyMessage = (): never => new Empty();

export const decodeStruct = (struct: StructMessage | undefined): PropertyMap =>
  struct === undefined ? {} : decodeProperties(struct.toJavaScript() as WireMap);

/** The result fits every `setX(struct)` of the stubs. */
export const encodeStruct = (map: PropertyMap, options: {keepSecrets?: boolean} = {}): never =>
  Struct.fromJavaScript(encodeProperties(map, options));
