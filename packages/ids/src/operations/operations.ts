// SPDX-License-Identifier: Apache-2.0
/** google.longrunning.Operations over the stored operations. */
import {
  formatLocationName,
  formatOperationName,
  OPERATION_LIST,
  type OperationMessage,
  type OperationName,
  parseOperationName,
  WILDCARD,
} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import {operationWarnings} from '../endpoints/exception-warnings.ts';
import {OPERATION_WAIT_DEFAULT_MS, OPERATION_WAIT_MAX_MS} from '../limits.ts';
import {cutPage, type ListPage, type ListRequest, parseListRequest} from '../list-page.ts';
import {keyOf, toBytes} from '../model/keys.ts';
import {type OperationRecord, toOperationMessage, warningText} from '../model/operation-record.ts';
import {demandLocation, parentOf} from '../names/names.ts';
import {scopeOf} from '../names/scope.ts';
import {invalidArgument, notFound, OPERATION_TYPE, RpcError} from '../rpc-error.ts';
import type {Held} from '../state/collection.ts';
import type {Service} from '../state/service.ts';
import type {Timers} from '../system.ts';

const nameOf = (text: string): OperationName => {
  const name = parseOperationName(text);
  const form = 'projects/PROJECT/locations/LOCATION/operations/OPERATION';
  if (name === undefined) throw invalidArgument([{field: 'name', description: `"${text}" is not of the form ${form}`}]);
  if ([name.project, name.location, name.operationId].includes(WILDCARD))
    throw invalidArgument([
      {field: 'name', description: `"${text}": "-" cannot stand for one operation's project, location or id`},
    ]);
  return name;
};

const held = (service: Service, name: string): Held<OperationRecord> => {
  const found = service.state.operations.get(name);
  if (found === undefined || found.record.hidden === true) throw notFound(name, OPERATION_TYPE);
  return found;
};

export const messageOfOperation = (service: Service, record: OperationRecord): OperationMessage =>
  toOperationMessage(record, record.result === undefined ? statusOf(service, record) : undefined);

/** What is being done; before anything is, what there is to warn of. */
const statusOf = (service: Service, record: OperationRecord): string | undefined =>
  service.progressOf(record.name) ?? warningText(operationWarnings(service, record));

/** Throws INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND; so do the others. */
export const getOperation = async (service: Service, caller: Caller, text: string): Promise<OperationMessage> => {
  const name = nameOf(text);
  await caller.demand('ids.operations.get', {project: name.project, resource: text, id: name.operationId});
  return messageOfOperation(service, held(service, formatOperationName(name)).record);
};

export const listOperations = async (
  service: Service,
  caller: Caller,
  request: ListRequest & {readonly parent: string},
): Promise<ListPage<OperationMessage>> => {
  const parent = parentOf(request.parent);
  await caller.demand('ids.operations.list', {project: parent.project, resource: formatLocationName(parent)});
  const query = parseListRequest(request, OPERATION_LIST, ['operations', request.parent]);
  const scope = scopeOf(parent, 'operations');
  const {operations} = service.state;
  if (parent.location !== WILDCARD && operations.count(scope.prefix) === 0) demandLocation(service, parent);
  const range = function* (after: string): Generator<OperationMessage> {
    for (const record of operations.range(scope.prefix, after))
      if (record.hidden !== true && scope.holds(record.name)) yield messageOfOperation(service, record);
  };
  return cutPage(query, range, message => message.name);
};

/** Notes the wish; the reconciler undoes a create. On a finished operation nothing happens, and its result stays. */
export const cancelOperation = async (service: Service, caller: Caller, text: string): Promise<void> => {
  const name = nameOf(text);
  await caller.demand('ids.operations.cancel', {project: name.project, resource: text, id: name.operationId});
  await service.state.commit(() => {
    const {record, revision} = held(service, formatOperationName(name));
    if (record.result !== undefined || record.requestedCancellation) return {ops: [], result: undefined};
    const value = toBytes({...record, requestedCancellation: true});
    return {ops: [{op: 'put', key: keyOf('operations', record.name), value, expected: revision}], result: undefined};
  });
};

/** Forgets a finished operation. Throws FAILED_PRECONDITION for a running one. */
export const deleteOperation = async (service: Service, caller: Caller, text: string): Promise<void> => {
  const name = nameOf(text);
  await caller.demand('ids.operations.delete', {project: name.project, resource: text, id: name.operationId});
  await service.state.commit(() => {
    const {record, revision} = held(service, formatOperationName(name));
    if (record.result === undefined)
      throw new RpcError(
        'FAILED_PRECONDITION',
        `Operation '${record.name}' is still running; wait for it or cancel it first`,
      );
    const value = toBytes({...record, hidden: true});
    return {ops: [{op: 'put', key: keyOf('operations', record.name), value, expected: revision}], result: undefined};
  });
};

/** The operation when it is done, or as it is when the time is up or `signal` aborts: the caller has gone, or the server stops. */
export const waitOperation = async (
  service: Service,
  caller: Caller,
  request: {
    readonly name: string;
    readonly timeoutMs: number | undefined;
    readonly signal: AbortSignal;
    readonly timers: Timers;
  },
): Promise<OperationMessage> => {
  const before = await getOperation(service, caller, request.name);
  if (before.result !== undefined) return before;
  const waitMs = Math.min(request.timeoutMs ?? OPERATION_WAIT_DEFAULT_MS, OPERATION_WAIT_MAX_MS);
  await new Promise<void>(resolve => {
    const finish = (): void => {
      unsubscribe();
      timer.cancel();
      request.signal.removeEventListener('abort', finish);
      resolve();
    };
    const unsubscribe = service.state.subscribe(change => {
      if (change.kind !== 'operations' || change.name !== request.name) return;
      const now = service.state.operations.get(request.name);
      if (now === undefined || now.record.result !== undefined) finish();
    });
    const timer = request.timers.after(waitMs, finish);
    request.signal.addEventListener('abort', finish, {once: true});
    if (request.signal.aborted || service.state.operations.get(request.name)?.record.result !== undefined) finish();
  });
  return getOperation(service, await caller.renew(), request.name); // the right may have gone meanwhile
};
