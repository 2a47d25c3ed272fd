// SPDX-License-Identifier: Apache-2.0
/** What update and delete share: a change of a READY endpoint that an operation carries out. */
import type {EndpointName} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import type {EndpointRecord} from '../model/endpoint-record.ts';
import {keyOf, toBytes} from '../model/keys.ts';
import type {OperationRecord} from '../model/operation-record.ts';
import {logAccepted, newOperation} from '../operations/new-operation.ts';
import {findReplay, type Identified, rememberRequest} from '../operations/replay.ts';
import {RpcError} from '../rpc-error.ts';
import {ENDPOINT_TRANSITIONS, VERB_OF_STATE} from '../state/endpoint-state.ts';
import type {Service} from '../state/service.ts';
import {heldEndpoint} from './get-endpoint.ts';

/** `change` makes the record's new content from what is stored now, or throws. */
export const mutateEndpoint = async (
  service: Service,
  caller: Caller,
  at: EndpointName,
  request: Identified & {readonly verb: 'update' | 'delete'},
  change: (record: EndpointRecord) => Partial<EndpointRecord>,
): Promise<OperationRecord> => {
  const accepted = await service.state.commit(() => {
    const replay = findReplay(service, request);
    if (replay !== undefined) return {ops: [], result: replay};
    const name = request.scope;
    const held = heldEndpoint(service, name);
    const {record} = held;
    const state = ENDPOINT_TRANSITIONS[record.state][request.verb === 'update' ? 'patch' : 'delete'];
    if (state === 'refuse') throw busy(record);
    const operation = newOperation(service, request.verb, at, name);
    const after: EndpointRecord = {...record, ...change(record), state, operation: operation.name};
    return {
      ops: [
        {op: 'put', key: keyOf('endpoints', name), value: toBytes(after), expected: held.revision},
        {op: 'put', key: keyOf('operations', operation.name), value: toBytes(operation), expected: 0n},
        ...rememberRequest(service, request, operation),
      ],
      result: operation,
    };
  });
  logAccepted(service, caller, accepted);
  return accepted;
};

const busy = (record: EndpointRecord): RpcError => {
  const verb = VERB_OF_STATE[record.state];
  const way = verb === 'create' ? 'wait for it, or cancel it to undo the create' : 'wait for it';
  return new RpcError(
    'ABORTED',
    `unable to queue the operation: Resource '${record.name}' is ${record.state} by operation '${record.operation ?? ''}'; ${way}`,
  );
};
