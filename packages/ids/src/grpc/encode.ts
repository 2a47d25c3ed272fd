// SPDX-License-Identifier: Apache-2.0
/** Messages of the handlers as protobuf. `threatExceptions` has no field there and is left out; UPDATING is number 4. */
import {create, createRegistry, type DescMessage, type MessageInitShape} from '@bufbuild/protobuf';
import {type Any, anyPack, EmptySchema, type Timestamp, timestampFromMs} from '@bufbuild/protobuf/wkt';
import {
  API_VERSION,
  type IdsEndpointMessage,
  type LocationMessage,
  type OperationMessage,
  type OperationResult,
  parseTimestamp,
  type RpcDetail,
  type RpcStatusJson,
  SEVERITY_NAMES,
  STATE_NAMES,
} from '@palisade/ids-wire';
import {
  type Endpoint,
  EndpointSchema,
  OperationMetadataSchema,
} from '@palisade/ids-wire/gen/google/cloud/ids/v1/ids_pb.ts';
import {type Location, LocationSchema} from '@palisade/ids-wire/gen/google/cloud/location/locations_pb.ts';
import {type Operation, OperationSchema} from '@palisade/ids-wire/gen/google/longrunning/operations_pb.ts';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  QuotaFailureSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
} from '@palisade/ids-wire/gen/google/rpc/error_details_pb.ts';
import {type Status, StatusSchema} from '@palisade/ids-wire/gen/google/rpc/status_pb.ts';

/** What an `Any` of ours may hold, for those who read it as JSON. */
export const ANY_TYPES = createRegistry(
  OperationMetadataSchema,
  EndpointSchema,
  EmptySchema,
  BadRequestSchema,
  ErrorInfoSchema,
  QuotaFailureSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
);

const toTimestamp = (text: string): Timestamp => timestampFromMs(parseTimestamp(text) ?? 0);

export const toProtoEndpoint = (message: IdsEndpointMessage): Endpoint =>
  create(EndpointSchema, {
    name: message.name,
    createTime: toTimestamp(message.createTime),
    updateTime: toTimestamp(message.updateTime),
    labels: {...message.labels},
    network: message.network,
    endpointForwardingRule: message.endpointForwardingRule ?? '',
    endpointIp: message.endpointIp ?? '',
    description: message.description ?? '',
    severity: SEVERITY_NAMES.indexOf(message.severity) as Endpoint['severity'],
    state: STATE_NAMES.indexOf(message.state) as Endpoint['state'],
    trafficLogs: message.trafficLogs ?? false,
  });

export const toProtoLocation = (message: LocationMessage): Location =>
  create(LocationSchema, {
    name: message.name,
    locationId: message.locationId,
    displayName: message.displayName,
    labels: {...message.labels},
  });

export const toProtoOperation = (message: OperationMessage): Operation =>
  create(OperationSchema, {
    name: message.name,
    metadata: anyPack(
      OperationMetadataSchema,
      create(OperationMetadataSchema, {
        createTime: toTimestamp(message.createTime),
        ...(message.endTime === undefined ? {} : {endTime: toTimestamp(message.endTime)}),
        target: message.target,
        verb: message.verb,
        statusMessage: message.statusMessage ?? '',
        requestedCancellation: message.requestedCancellation,
        apiVersion: API_VERSION,
      }),
    ),
    done: message.result !== undefined,
    ...(message.result === undefined ? {} : {result: toProtoResult(message.result)}),
  });

const toProtoResult = (result: OperationResult): Operation['result'] => {
  switch (result.kind) {
    case 'error':
      return {case: 'error', value: toProtoStatus(result.error)};
    case 'empty':
      return {case: 'response', value: anyPack(EmptySchema, create(EmptySchema))};
    case 'endpoint':
      return {case: 'response', value: anyPack(EndpointSchema, toProtoEndpoint(result.endpoint))};
  }
};

const toProtoStatus = (status: RpcStatusJson): Status =>
  create(StatusSchema, {
    code: status.code,
    message: status.message,
    details: (status.details ?? []).map(detail => packDetail(detail)),
  });

type Detail = {readonly desc: DescMessage; readonly value: MessageInitShape<DescMessage>};

/** A detail with its protobuf descriptor, as Connect sends it. */
export const toProtoDetail = (detail: RpcDetail): Detail => {
  switch (detail['@type']) {
    case 'type.googleapis.com/google.rpc.BadRequest':
      return {desc: BadRequestSchema, value: {fieldViolations: detail.fieldViolations.map(v => ({...v}))}};
    case 'type.googleapis.com/google.rpc.ErrorInfo':
      return {
        desc: ErrorInfoSchema,
        value: {reason: detail.reason, domain: detail.domain, metadata: {...detail.metadata}},
      };
    case 'type.googleapis.com/google.rpc.ResourceInfo':
      return {
        desc: ResourceInfoSchema,
        value: {resourceType: detail.resourceType, resourceName: detail.resourceName},
      };
    case 'type.googleapis.com/google.rpc.QuotaFailure':
      return {desc: QuotaFailureSchema, value: {violations: detail.violations.map(v => ({...v}))}};
    case 'type.googleapis.com/google.rpc.RetryInfo':
      return {
        desc: RetryInfoSchema,
        value: {retryDelay: {seconds: BigInt(Math.ceil(Number.parseFloat(detail.retryDelay)))}},
      };
  }
};

const packDetail = (detail: RpcDetail): Any => {
  const {desc, value} = toProtoDetail(detail);
  return anyPack(desc, create(desc, value));
};
