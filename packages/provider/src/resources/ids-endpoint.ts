// SPDX-License-Identifier: Apache-2.0
/**
 * `cloudnative:intrusion/v1:Endpoint` on any server of the Cloud IDS API. Id: the full resource name.
 * Create and update wait until the endpoint is settled; an endpoint that exists but is not ready comes back as ResourceInitError.
 */
import {
  type Backoff,
  backoffMs,
  type Clock,
  type IdsClient,
  type IdsEndpoint,
  isIdsError,
  isTransient,
  type Operation,
  OperationUnfinishedError,
  parseEndpointName,
  waitForOperation,
} from '@palisade/client';
import {withGrace} from '../deadline.ts';
import {diffProperties, toDiffResult} from '../detailed-diff.ts';
import {stringAt} from '../property-access.ts';
import {
  type CheckRequest,
  type CheckResult,
  type CreateRequest,
  type CreateResult,
  type DeleteRequest,
  type DiffRequest,
  type DiffResult,
  ProviderError,
  type ReadRequest,
  type ReadResult,
  ResourceInitError,
  type UpdateRequest,
  type UpdateResult,
} from '../provider.ts';
import {checkShape, cleanInputs} from '../schema/check-shape.ts';
import {CLOUDNATIVE} from '../schema/cloudnative.ts';
import {containsUnknowns, type PropertyMap, type PropertyValue, type UNKNOWN} from '../value.ts';
import {
  changedFields,
  fullNameOf,
  importInputs,
  parentOf,
  previewOutputs,
  projectInputs,
  toComparable,
  toMessage,
  toOutputs,
} from './ids-endpoint-inputs.ts';
import {assertLocation, isMoved} from './ids-endpoint-location.ts';
import {
  DEFAULTED,
  type DefaultedKey,
  idsEndpointFaults,
  idsEndpointWarnings,
  isSet,
  placeFaults,
} from './ids-endpoint-rules.ts';
import type {CallContext, ResourceModule} from './resource.ts';

export const IDS_ENDPOINT_TOKEN = 'intrusion/v1:Endpoint';
/** As Terraform waits for Cloud IDS. */
const WAIT_TIMEOUT_S = 1_200;
const RETRY_BACKOFF: Backoff = {firstMs: 250, factor: 1.6, maxMs: 4_000};
/** Tries of one request that nobody answered; the request id makes repeating safe. */
const SEND_TRIES_MAX = 5;
const INPUTS = CLOUDNATIVE.resources[IDS_ENDPOINT_TOKEN]?.inputs ?? {};

export type IdsEndpointDependencies = {
  /** Throws when no server is configured. */
  readonly client: () => IdsClient;
  readonly clock: Clock;
  /** Defaults of the provider's configuration; `unknown`: known only after the deployment. */
  readonly defaults: Readonly<Partial<Record<DefaultedKey, string | typeof UNKNOWN>>>;
  /** A new random UUID. */
  readonly uuid: () => string;
};

export function createIdsEndpointModule(dependencies: IdsEndpointDependencies): ResourceModule {
  return {
    type: `${CLOUDNATIVE.name}:${IDS_ENDPOINT_TOKEN}`,
    check: request => check(request, dependencies),
    diff: (request, context) => diff(request, callOf({}, context, dependencies)),
    create: (request, context) => create(request, callOf(request, context, dependencies)),
    read: (request, context) => read(request, callOf({}, context, dependencies)),
    update: (request, context) => update(request, callOf(request, context, dependencies)),
    delete: (request, context) => remove(request, callOf(request, context, dependencies)),
    lookUp: {
      token: `${CLOUDNATIVE.name}:intrusion/v1:getEndpoint`,
      check: args => placeFaults(withDefaults(args, dependencies)),
      invoke: (args, context) => lookUp(withDefaults(args, dependencies), callOf({}, context, dependencies)),
    },
  };
}

/** What the inputs leave out comes from the provider's configuration. */
function withDefaults(given: PropertyMap, {defaults}: IdsEndpointDependencies): PropertyMap {
  const inputs: Record<string, PropertyValue> = {...given};
  for (const key of Object.keys(DEFAULTED) as DefaultedKey[]) {
    const value = defaults[key];
    if (!isSet(key, inputs[key]) && value !== undefined) inputs[key] = value;
  }
  return inputs;
}

function check(request: CheckRequest, dependencies: IdsEndpointDependencies): CheckResult {
  const inputs = withDefaults(cleanInputs(CLOUDNATIVE, INPUTS, request.news), dependencies);
  const shape = checkShape(CLOUDNATIVE, INPUTS, inputs);
  const seen = new Set(shape.map(failure => failure.property));
  const failures = [...shape, ...idsEndpointFaults(inputs).filter(failure => !seen.has(failure.property))];
  return {inputs, failures, warnings: idsEndpointWarnings(inputs)};
}

async function diff(request: DiffRequest, call: Call): Promise<DiffResult> {
  const differences = diffProperties(toComparable(request.oldInputs), toComparable(request.news), {
    replaceOn: ['endpointId', 'location', 'network', 'project'],
    sets: ['threatExceptions'],
  });
  // The original goes first: what would certainly be refused afterwards is refused now.
  if (isMoved(request.oldInputs, request.news)) await assertLocation(request.news, call);
  return {...toDiffResult(differences), deleteBeforeReplace: true};
}

/** One call with everything that bounds it. */
type Call = IdsEndpointDependencies & {
  readonly signal: AbortSignal;
  readonly deadline: number;
  readonly timeoutMs: number;
};

function callOf(
  request: {readonly timeoutSeconds?: number | undefined},
  context: CallContext,
  dependencies: IdsEndpointDependencies,
): Call {
  const timeoutMs = (request.timeoutSeconds || WAIT_TIMEOUT_S) * 1000;
  return {...dependencies, signal: context.signal, timeoutMs, deadline: dependencies.clock.now() + timeoutMs};
}

async function create({news, preview, urn}: CreateRequest, call: Call): Promise<CreateResult> {
  if (preview) {
    await assertLocation(news, call);
    return {id: '', properties: previewOutputs(news)};
  }
  if (containsUnknowns(news)) throw new ProviderError('invalid-argument', `${urn}: an input is still unknown`);
  const name = fullNameOf(news);
  const started = await startCreate(news, call);
  const made = await settleCreate(started, name, news, call);
  if (made !== undefined) return {id: name, ...made};
  // The request id belonged to a creation whose endpoint has been deleted since: this is a new creation.
  const again = await sendCreate(news, call.uuid(), call);
  const second = await settleCreate(again, name, news, call);
  if (second === undefined) throw new ProviderError('not-found', `${name} was created but no longer exists`);
  return {id: name, ...second};
}

/** The user's request id; when the server remembers it for another content, this creation is another request: a new id. */
async function startCreate(news: PropertyMap, call: Call): Promise<Operation> {
  const given = stringAt(news, 'requestId');
  try {
    return await sendCreate(news, given ?? call.uuid(), call);
  } catch (error) {
    if (given === undefined || !isReusedRequestId(error)) throw error;
    return sendCreate(news, call.uuid(), call);
  }
}

function isReusedRequestId(error: unknown): boolean {
  if (!isIdsError(error, 'INVALID_ARGUMENT')) return false;
  const fields = error.violations.map(violation => violation.field);
  return fields.some(field => /^request_?id$/i.test(field)) || /request_?id/i.test(error.message);
}

async function sendCreate(news: PropertyMap, requestId: string, call: Call): Promise<Operation> {
  const endpointId = stringAt(news, 'endpointId') ?? '';
  const send = () =>
    withGrace({clock: call.clock, parent: call.signal}, signal =>
      call.client().createEndpoint(parentOf(news), endpointId, toMessage(news), {requestId, signal}),
    );
  try {
    return await whenFree(call, () => retrySend(call, send));
  } catch (error) {
    if (!isIdsError(error, 'ALREADY_EXISTS')) throw error;
    const name = fullNameOf(news);
    const message = `${name} already exists: give another endpointId, adopt it with the import option and id ${name}, or, if it is the object to replace, set the option deleteBeforeReplace`;
    throw new ProviderError('already-exists', message, {cause: error});
  }
}

/**
 * What there is when the creation is done; undefined when it is not there any more. A wait that ends early while the endpoint
 * exists is a partial result, so that the engine keeps it. A failed creation leaves nothing and throws its error.
 */
async function settleCreate(
  operation: Operation,
  name: string,
  news: PropertyMap,
  call: Call,
): Promise<UpdateResult | undefined> {
  let done: Operation;
  try {
    done = await finish(operation, call);
  } catch (error) {
    throw await partialOr(error, name, news, call);
  }
  const live = await findLive(name, call, call.signal);
  return live === undefined ? undefined : {properties: toOutputs(live, news), ...warningsOf(done)};
}

/** What the server warns of in the status message of a finished operation. */
function warningsOf({metadata}: Operation): Pick<UpdateResult, 'warnings'> {
  const [, reason] = /^warning: (.*)$/s.exec(metadata?.statusMessage ?? '') ?? [];
  return reason === undefined ? {} : {warnings: [{property: '', reason}]};
}

const finish = (operation: Operation, call: Call): Promise<Operation> =>
  waitForOperation(call.client(), operation, {
    clock: call.clock,
    signal: call.signal,
    timeoutMs: Math.max(0, call.deadline - call.clock.now()),
  });

/** The error to throw after an accepted creation did not come to its end. */
async function partialOr(error: unknown, name: string, news: PropertyMap, call: Call): Promise<unknown> {
  let left: IdsEndpoint | undefined;
  try {
    // The provider may be stopping: this last look must not be cut off by the same signal.
    left = await findLive(name, call, new AbortController().signal);
  } catch (blind) {
    // Nobody answers any more. An unfinished creation has been accepted, so the endpoint is taken to exist.
    if (error instanceof OperationUnfinishedError && isTransient(blind)) left = {name};
  }
  if (left === undefined) return error;
  const text = error instanceof Error ? error.message : String(error);
  const reason = error instanceof OperationUnfinishedError ? `${name} is ${left.state ?? 'not ready'}: ${text}` : text;
  const properties = {...toOutputs(left, news), ...(left.state === undefined ? news : {})};
  return new ResourceInitError({id: name, properties, inputs: news, reasons: [reason]}, {cause: error});
}

async function read({id, inputs}: ReadRequest, call: Call): Promise<ReadResult> {
  checkId(id);
  const live = await findLive(id, call, call.signal);
  if (live === undefined) return {id: '', properties: {}, inputs: {}};
  const isImport = Object.keys(inputs).length === 0;
  const shown = isImport ? importInputs(live) : projectInputs(inputs, live);
  return {id, inputs: shown, properties: toOutputs(live, shown)};
}

async function lookUp(args: PropertyMap, call: Call): Promise<PropertyMap> {
  const id = fullNameOf(args);
  const live = await findLive(id, call, call.signal);
  if (live === undefined) throw new ProviderError('not-found', `${id} does not exist`);
  return {id, ...toOutputs(live, {})};
}

async function update(request: UpdateRequest, call: Call): Promise<UpdateResult> {
  const {id, news} = request;
  if (request.preview) return {properties: previewOutputs(news, request.olds)};
  if (containsUnknowns(news)) throw new ProviderError('invalid-argument', `${request.urn}: an input is still unknown`);
  checkId(id);
  const mask = changedFields(request.oldInputs, news);
  const steady = await waitUntilSteady(id, call);
  if (mask.length === 0) return {properties: toOutputs(steady, news)};
  const body = Object.fromEntries(Object.entries(toMessage(news)).filter(([key]) => mask.some(field => field === key)));
  const requestId = call.uuid();
  const operation = await whenFree(call, () =>
    retrySend(call, () => call.client().patchEndpoint(id, body, mask, {requestId, signal: call.signal})),
  );
  // An update that fails or is cancelled leaves the old inputs in the state: the next one repeats it, which is harmless.
  const done = await finish(operation, call);
  const live = await findLive(id, call, call.signal);
  if (live === undefined) throw gone(id);
  return {properties: toOutputs(live, news), ...warningsOf(done)};
}

const gone = (id: string): ProviderError =>
  new ProviderError('not-found', `${id} no longer exists: refresh the stack, then update`);

/** After an interrupted create the endpoint may still be coming up; changes have to wait for it. */
async function waitUntilSteady(id: string, call: Call): Promise<IdsEndpoint> {
  for (let attempt = 0; ; attempt += 1) {
    const live = await findLive(id, call, call.signal);
    if (live === undefined) throw gone(id);
    if (live.state !== 'CREATING' && live.state !== 'UPDATING') return live;
    await pause(call, attempt, `${id} is still ${live.state}`);
  }
}

async function remove({id, properties}: DeleteRequest, call: Call): Promise<void> {
  checkId(id);
  const live = await findLive(id, call, call.signal);
  const created = stringAt(properties, 'createTime');
  // Created again by somebody else since: not ours to delete.
  if (live === undefined || (created !== undefined && live.createTime !== created)) return;
  const requestId = call.uuid();
  try {
    const operation = await whenFree(call, () =>
      retrySend(call, () => call.client().deleteEndpoint(id, {requestId, signal: call.signal})),
    );
    await finish(operation, call);
  } catch (error) {
    if (!isIdsError(error, 'NOT_FOUND')) throw error;
  }
}

async function findLive(id: string, call: Call, signal: AbortSignal): Promise<IdsEndpoint | undefined> {
  try {
    return await call.client().getEndpoint(id, {signal});
  } catch (error) {
    if (isIdsError(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}

/** Another operation holds the endpoint: try again when it may be over. */
async function whenFree<T>(call: Call, send: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!isIdsError(error, 'ABORTED')) throw error;
      await pause(call, attempt, error.message);
    }
  }
}

async function retrySend<T>(call: Call, send: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!isTransient(error) || isIdsError(error, 'RESOURCE_EXHAUSTED') || attempt + 1 >= SEND_TRIES_MAX) throw error;
      await pause(call, attempt, error instanceof Error ? error.message : String(error));
    }
  }
}

/** Throws `deadline-exceeded` with `why` when the call's time is over, the signal's reason when it is aborted. */
async function pause(call: Call, attempt: number, why: string): Promise<void> {
  const left = call.deadline - call.clock.now();
  if (left <= 0) {
    throw new ProviderError('deadline-exceeded', `not done within ${Math.round(call.timeoutMs / 1000)} s: ${why}`);
  }
  await call.clock.sleep(Math.min(left, backoffMs(RETRY_BACKOFF, attempt)), call.signal);
}

function checkId(id: string): void {
  if (parseEndpointName(id) !== undefined) return;
  throw new ProviderError(
    'invalid-argument',
    `${JSON.stringify(id)} is not an ID of an endpoint: expected projects/<project>/locations/<location>/endpoints/<id>`,
  );
}
