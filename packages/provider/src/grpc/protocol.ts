// SPDX-License-Identifier: Apache-2.0
/**
 * The generated stubs of the Pulumi SDK, and property maps ⇄ google.protobuf.Struct with the very copy of google-protobuf that
 * those stubs use. Ref: pulumirpc.ResourceProvider, @pulumi/pulumi 3.270.
 */
import {createRequire} from 'node:module';
import type * as PluginMessages from '@pulumi/pulumi/proto/plugin_pb.js';
import type * as ProviderGrpc from '@pulumi/pulumi/proto/provider_grpc_pb.js';
import type * as ProviderMessages from '@pulumi/pulumi/proto/provider_pb.js';
import type * as StatusMessages from '@pulumi/pulumi/proto/status_pb.js';
import type {PropertyMap} from '../value.ts';
import {decodeProperties, type EncodeOptions, encodeProperties, type WireMap} from '../value-codec.ts';

const require = createRequire(import.meta.url);
/** Resolves as the stubs themselves do. */
const fromSdk = createRequire(require.resolve('@pulumi/pulumi/package.json'));

export const providerMessages = require('@pulumi/pulumi/proto/provider_pb.js') as typeof ProviderMessages;
export const pluginMessages = require('@pulumi/pulumi/proto/plugin_pb.js') as typeof PluginMessages;
export const statusMessages = require('@pulumi/pulumi/proto/status_pb.js') as typeof StatusMessages;
export const {ResourceProviderService, ResourceProviderClient} =
  require('@pulumi/pulumi/proto/provider_grpc_pb.js') as typeof ProviderGrpc;

/** Fits every `setX(struct)` of the stubs, whose own type for it is not ours to import. */
type StructMessage = never;
const {Struct} = fromSdk('google-protobuf/google/protobuf/struct_pb.js') as {
  readonly Struct: {fromJavaScript(value: unknown): StructMessage};
};
export const {Empty} = fromSdk('google-protobuf/google/protobuf/empty_pb.js') as {readonly Empty: new () => never};
export const {Any} = fromSdk('google-protobuf/google/protobuf/any_pb.js') as {
  readonly Any: new () => {pack(bytes: Uint8Array, name: string): void};
};

export const decodeStruct = (struct: {toJavaScript(): unknown} | undefined): PropertyMap =>
  struct === undefined ? {} : decodeProperties(struct.toJavaScript() as WireMap);

export const encodeStruct = (map: PropertyMap, options: EncodeOptions = {}): StructMessage =>
  Struct.fromJavaScript(encodeProperties(map, options));
