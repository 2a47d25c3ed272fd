// SPDX-License-Identifier: Apache-2.0

export * from './codec/decode.ts';
export {cannotUnmarshal} from './codec/decode-error.ts';
export {encodeJson, encodeUntyped, escapeUnit, prettyJson, quoteJson} from './codec/encode.ts';
export {endOfValue} from './codec/end-of-value.ts';
export {decodeUtf8} from './codec/json-scan.ts';
export {decodeDeleteOptions, type OptionsBody} from './codec/meta-options.ts';
export {isStrayField, operationFaults} from './codec/operation-faults.ts';
export {
  cannotHandle,
  decodePatched,
  decodeRequestBody,
  type ExpectedKind,
  type RequestBody,
  unrecognized,
} from './codec/request.ts';
export {isSpelled, SpelledValue} from './codec/spelled-value.ts';
export {convertUnstructured} from './codec/unstructured.ts';
export {setOwn} from './codec/untyped.ts';
export * from './discovery/discovery.ts';
export type {AddressLike, PortLike, SubsetLike} from './endpoints/endpoint-subset.ts';
export * from './endpoints/expand.ts';
export * from './endpoints/pack.ts';
export {kubeKinds} from './gen/kube-openapi.ts';
export {kubeTypes} from './gen/kube-types.ts';
export {goDurationFault} from './go/duration.ts';
export {goJson} from './go/go-json.ts';
export {compareUtf8} from './go/order.ts';
export {parseQuantity, QuantityError, quantityInMillis} from './go/quantity.ts';
export {goQuote} from './go/quote.ts';
export {statusJson} from './go/status-json.ts';
export {isCanonicalTime, normalizeTime, parseGoTime, TimeParseError} from './go/time.ts';
export * from './kind-structs.ts';
export {openApiV2, openApiV3, openApiV3Index} from './openapi/documents.ts';
export {encodeOpenApiV2Protobuf} from './openapi/gnostic-v2.ts';
export {encodeOpenApiV3Protobuf} from './openapi/gnostic-v3.ts';
export type {ServedKind, ServedQuestion, ServedSubresource, ServedVerb} from './openapi/served-kind.ts';
export {inPlatformWords} from './overlay.ts';
export {isJsonArray, isJsonObject} from './patch/json-value.ts';
export {
  decodeProtobuf,
  encodeProtobuf,
  encodeWatchFrame,
  jsonToProtobuf,
  openEnvelope,
  ProtoError,
  type TypeMeta,
} from './proto/envelope.ts';
export {ProtobufList} from './proto/list.ts';
export * from './schema.ts';
export {schemaFaults} from './schema-faults.ts';
export * from './select/field-selector.ts';
export * from './select/label-selector.ts';
export * from './status/status.ts';
export {withinTextLimit} from './status/text-limit.ts';
export * from './validate/cidr.ts';
export * from './validate/field-error.ts';
export * from './validate/ip.ts';
export * from './validate/names.ts';
