// SPDX-License-Identifier: Apache-2.0
/**
 * `platform:core/v1:Endpoints` on any Kubernetes API server. Id: `<namespace>/<name>`.
 * Create never takes over an existing object; delete and update are guarded by the recorded uid.
 */
import {
  type Backoff,
  backoffMs,
  type Clock,
  type Endpoints,
  isAlreadyExists,
  isConflict,
  isKubeError,
  isNotFound,
  type KubeClient,
} from '@palisade/client';
import {withDeadline, withGrace} from '../deadline.ts';
import {diffProperties, toDiffResult} from '../detailed-diff.ts';
import {mapAt, stringAt} from '../property-access.ts';
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
import {PLATFORM} from '../schema/platform.ts';
import {containsUnknowns, isPropertyList, isUnknown, type PropertyMap, type PropertyValue, UNKNOWN} from '../value.ts';
import {importInputs, projectInputs, toComparable, withDefaultProtocols} from './endpoints-inputs.ts';
import {fillName, formatId, isAutomaticName, namespaceOf, type ObjectKey, parseId} from './endpoints-name.ts';
import {endpointsPatch} from './endpoints-patch.ts';
import {endpointsFaults} from './endpoints-rules.ts';
import type {CallContext, ResourceModule} from './resource.ts';

export const ENDPOINTS_TOKEN = 'core/v1:Endpoints';
const FIELD_MANAGER = 'palisade-provider';
const WRITE_TIMEOUT_S = 120;
/** A delete waits for finalizers and grace. */
const DELETE_TIMEOUT_S = 600;
const GONE_BACKOFF: Backoff = {firstMs: 50, factor: 1.5, maxMs: 2_000};
const INPUTS = PLATFORM.resources[ENDPOINTS_TOKEN]?.inputs ?? {};

export type EndpointsDependencies = {
  /** Throws when no server is configured. */
  readonly client: () => KubeClient;
  readonly clock: Clock;
};

export function createEndpointsModule(dependencies: EndpointsDependencies): ResourceModule {
  return {
    type: `${PLATFORM.name}:${ENDPOINTS_TOKEN}`,
    check,
    diff,
    create: (request, context) => create(request, context, dependencies),
    read: (request, context) => read(request, context, dependencies),
    update: (request, context) => update(request, context, dependencies),
    delete: (request, context) => remove(request, context, dependencies),
    lookUp: {
      token: `${PLATFORM.name}:core/v1:getEndpoints`,
      check: args =>
        endpointsFaults({metadata: args}, {}).map(fault => ({
          ...fault,
          property: fault.property.replace('metadata.', ''),
        })),
      invoke: (args, context) => lookUp(args, context, dependencies),
    },
  };
}

function check(request: CheckRequest): CheckResult {
  const clean = cleanInputs(PLATFORM, INPUTS, request.news);
  const shape = checkShape(PLATFORM, INPUTS, clean);
  const named = fillName(request, clean);
  const faults = endpointsFaults(named.inputs, request.olds);
  // A value of the wrong type is one fault, not two.
  const seen = new Set(shape.map(failure => failure.property));
  const rest = [...named.failures, ...faults].filter(failure => !seen.has(failure.property));
  return {inputs: named.inputs, failures: [...shape, ...rest]};
}

function diff(request: DiffRequest): DiffResult {
  const before = withLiveName(toComparable(request.oldInputs), request);
  const after = toComparable(request.news);
  const differences = diffProperties(before, after, {
    replaceOn: ['metadata.name', 'metadata.namespace', 'metadata.generateName'],
    sets: ['metadata.finalizers'],
  });
  const name = stringAt(mapAt(request.news, 'metadata'), 'name');
  const keepsName = name !== undefined && name === stringAt(mapAt(before, 'metadata'), 'name');
  const keepsPlace = namespaceOf(request.news) === namespaceOf(request.oldInputs);
  const result = toDiffResult(differences);
  // A replacement under the same name would find the old object in its way.
  return {...result, deleteBeforeReplace: keepsName && keepsPlace && !isAutomaticName(request.urn, name)};
}

/** A program that begins to name what the server named so far changes nothing while it is the same name. */
function withLiveName(before: PropertyMap, request: DiffRequest): PropertyMap {
  const metadata = mapAt(before, 'metadata');
  const isNamedNow = stringAt(mapAt(request.news, 'metadata'), 'name') !== undefined;
  const live = stringAt(mapAt(request.olds, 'metadata'), 'name');
  if (!isNamedNow || live === undefined || metadata['name'] !== undefined) return before;
  const {generateName: _ignored, ...rest} = metadata;
  return {...before, metadata: {...rest, name: live}};
}

async function create(
  request: CreateRequest,
  context: CallContext,
  {client, clock}: EndpointsDependencies,
): Promise<CreateResult> {
  const {news} = request;
  if (request.preview) return {id: '', properties: previewOutputs(news)};
  refuseUnknowns(news, request.urn);
  const namespace = namespaceOf(news);
  const name = stringAt(mapAt(news, 'metadata'), 'name') ?? '';
  const bounds = boundsOf(request, context, clock, WRITE_TIMEOUT_S, `creating ${describe({namespace, name})}`);
  const object = {...news, metadata: {...mapAt(news, 'metadata'), namespace}} as unknown as Endpoints;
  try {
    const live = await withGrace(bounds, parent =>
      withDeadline({...bounds, parent}, signal =>
        client().endpoints.create(namespace, object, {fieldManager: FIELD_MANAGER, signal}),
      ),
    );
    return {id: formatId({namespace, name: live.metadata?.name ?? name}), properties: toOutputs(live, news)};
  } catch (error) {
    throw isAlreadyExists(error) && name !== '' ? alreadyExists({namespace, name}, error) : error;
  }
}

function alreadyExists(key: ObjectKey, cause: unknown): ProviderError {
  const message = `${describe(key)} already exists: give another name, adopt it with the import option and id ${formatId(key)}, or, if it is the object to replace, set the option deleteBeforeReplace`;
  return new ProviderError('already-exists', message, {cause});
}

async function read(request: ReadRequest, context: CallContext, {client}: EndpointsDependencies): Promise<ReadResult> {
  const key = keyOf(request.id);
  const live = await findLive(client(), key, context.signal);
  // What is imported or only looked up (`Endpoints.get`) is whatever has the name.
  const isOwned = Object.keys(request.inputs).length > 0;
  // Another one under the name of an owned one is somebody else's: it becomes this one only by an import.
  if (live === undefined || (isOwned && !isOurs(live, uidOf(request.properties))))
    return {id: '', properties: {}, inputs: {}};
  const object = live as unknown as PropertyMap;
  const inputs = isOwned ? projectInputs(request.inputs, object) : importInputs(object);
  const properties = toOutputs(live, inputs);
  // What is looked up again stays without inputs: with some it would count as owned the next time.
  const isLookedUp = !isOwned && Object.keys(request.properties).length > 0;
  const result = {id: formatId(key), inputs: isLookedUp ? {} : inputs, properties};
  if (isOwned && isMarked(live)) throw new ResourceInitError({...result, reasons: [notGone(key, live)]});
  return result;
}

async function lookUp(args: PropertyMap, context: CallContext, {client}: EndpointsDependencies): Promise<PropertyMap> {
  const key = {namespace: namespaceOf({metadata: args}), name: stringAt(args, 'name') ?? ''};
  const live = await findLive(client(), key, context.signal);
  if (live === undefined) throw new ProviderError('not-found', `${describe(key)} does not exist`);
  return {id: formatId(key), ...toOutputs(live, {subsets: []})};
}

async function update(
  request: UpdateRequest,
  context: CallContext,
  {client, clock}: EndpointsDependencies,
): Promise<UpdateResult> {
  const {news} = request;
  if (request.preview) return {properties: previewOutputs(news, request.olds)};
  refuseUnknowns(news, request.urn);
  const key = keyOf(request.id);
  const uid = uidOf(request.olds);
  const patch = endpointsPatch(request.oldInputs, news, uid);
  const bounds = boundsOf(request, context, clock, WRITE_TIMEOUT_S, `updating ${describe(key)}`);
  const live = await withDeadline(bounds, async signal => {
    const sent = patch === undefined ? undefined : await sendPatch(client(), key, patch, uid, signal);
    // Of an object that is being deleted the answer to a patch has what was written, not whether the object is gone now.
    return sent !== undefined && !isMarked(sent) ? sent : findOurs(client(), key, uid, signal);
  });
  const properties = toOutputs(live, news);
  if (isMarked(live))
    throw new ResourceInitError({id: request.id, properties, inputs: news, reasons: [notGone(key, live)]});
  return {properties};
}

async function sendPatch(
  client: KubeClient,
  key: ObjectKey,
  patch: PropertyMap,
  uid: string | undefined,
  signal: AbortSignal,
): Promise<Endpoints> {
  try {
    return await client.endpoints.patch(key.namespace, key.name, 'strategic', patch, {
      fieldManager: FIELD_MANAGER,
      signal,
    });
  } catch (error) {
    if (!isKubeError(error)) throw error;
    // The refusal of a changed uid differs between servers: the object itself shows it, if it may be read.
    const found: unknown = await findOurs(client, key, uid, signal).catch((reason: unknown) => reason);
    throw found instanceof ProviderError ? new ProviderError(found.code, found.message, {cause: error}) : error;
  }
}

/** The object with the recorded uid. Throws where it is gone, or another has its name. */
async function findOurs(
  client: KubeClient,
  key: ObjectKey,
  uid: string | undefined,
  signal: AbortSignal,
): Promise<Endpoints> {
  const live = await findLive(client, key, signal);
  if (live === undefined) throw lost(key, 'not-found', 'no longer exists');
  if (isOurs(live, uid)) return live;
  throw lost(key, 'aborted', 'was deleted and created again by somebody else');
}

const lost = (key: ObjectKey, code: 'not-found' | 'aborted', what: string): ProviderError =>
  new ProviderError(code, `${describe(key)} ${what}: refresh the stack, then update`);

/** The recorded one; undefined of an object whose creation was cut short. */
const uidOf = (properties: PropertyMap): string | undefined => stringAt(mapAt(properties, 'metadata'), 'uid');

const isOurs = (live: Endpoints, uid: string | undefined): boolean => uid === undefined || live.metadata?.uid === uid;

/** It goes once its finalizers and its grace allow it. */
const isMarked = (live: Endpoints): boolean => live.metadata?.deletionTimestamp != null;

async function remove(
  request: DeleteRequest,
  context: CallContext,
  {client, clock}: EndpointsDependencies,
): Promise<void> {
  const key = keyOf(request.id);
  const uid = uidOf(request.properties);
  const bounds = boundsOf(request, context, clock, DELETE_TIMEOUT_S, `deleting ${describe(key)}`);
  let held: Endpoints | undefined;
  try {
    await withDeadline(bounds, async signal => {
      held = await startDelete(client(), key, uid, signal);
      for (let attempt = 0; held !== undefined; attempt += 1) {
        await clock.sleep(backoffMs(GONE_BACKOFF, attempt), signal);
        const live = await findLive(client(), key, signal);
        held = live?.metadata?.uid === held.metadata?.uid ? live : undefined;
      }
    });
  } catch (error) {
    throw held === undefined || isKubeError(error) ? error : stillHeld(key, held, error);
  }
}

/** Undefined: nothing of ours is there any more. Another uid means that the object is somebody else's: it stays. */
async function startDelete(
  client: KubeClient,
  key: ObjectKey,
  uid: string | undefined,
  signal: AbortSignal,
): Promise<Endpoints | undefined> {
  try {
    return await client.endpoints.delete(key.namespace, key.name, {uid, signal});
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isConflict(error) && uid !== undefined) {
      const live = await findLive(client, key, signal);
      if (live === undefined || !isOurs(live, uid)) return undefined;
    }
    throw error;
  }
}

function stillHeld(key: ObjectKey, held: Endpoints, cause: unknown): ProviderError {
  const code = cause instanceof ProviderError ? cause.code : 'cancelled';
  return new ProviderError(code, notGone(key, held), {cause});
}

function notGone(key: ObjectKey, held: Endpoints): string {
  const finalizers = held.metadata?.finalizers ?? [];
  const reason =
    finalizers.length > 0
      ? `it waits for the finalizers ${finalizers.join(', ')}`
      : `its deletion time is ${held.metadata?.deletionTimestamp ?? 'not over'}`;
  return `${describe(key)} is marked for deletion but still exists: ${reason}`;
}

async function findLive(client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Endpoints | undefined> {
  try {
    return await client.endpoints.get(key.namespace, key.name, {signal});
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const describe = (key: ObjectKey): string =>
  `Endpoints ${JSON.stringify(key.name)} in namespace ${JSON.stringify(key.namespace)}`;

function keyOf(id: string): ObjectKey {
  const key = parseId(id);
  if (key !== undefined) return key;
  throw new ProviderError(
    'invalid-argument',
    `${JSON.stringify(id)} is not an ID of Endpoints: expected <namespace>/<name>`,
  );
}

function refuseUnknowns(news: PropertyMap, urn: string): void {
  if (containsUnknowns(news)) throw new ProviderError('invalid-argument', `${urn}: an input is still unknown`);
}

function boundsOf(
  request: {readonly timeoutSeconds?: number | undefined},
  context: CallContext,
  clock: Clock,
  defaultSeconds: number,
  what: string,
) {
  const seconds = request.timeoutSeconds || defaultSeconds;
  return {clock, parent: context.signal, timeoutMs: seconds * 1000, what};
}

/** All inputs and what the server made of them; an empty list that was asked for is shown, though the server leaves it out. */
function toOutputs(live: Endpoints, inputs: PropertyMap): PropertyMap {
  const {metadata, subsets} = live as unknown as PropertyMap;
  const shown = subsets ?? (isPropertyList(inputs['subsets']) ? [] : undefined);
  return {metadata: metadata ?? {}, ...(shown === undefined ? {} : {subsets: shown})};
}

/** What is known before the server was asked. After a create the system fields come; an update keeps the identity. */
function previewOutputs(news: PropertyMap, olds?: PropertyMap): PropertyMap {
  const subsets = news['subsets'];
  const shown = subsets === undefined ? {} : {subsets: withDefaultProtocols(subsets)};
  if (isUnknown(news['metadata'])) return {metadata: UNKNOWN, ...shown};
  const given = mapAt(news, 'metadata');
  const known = olds === undefined ? {} : mapAt(olds, 'metadata');
  const system: Record<string, PropertyValue> = {};
  for (const key of ['name', 'uid', 'creationTimestamp']) {
    if (known[key] !== undefined) system[key] = known[key];
    else if (olds === undefined) system[key] = UNKNOWN;
  }
  if (olds === undefined) system['resourceVersion'] = UNKNOWN;
  const namespace = isUnknown(given['namespace']) ? UNKNOWN : namespaceOf(news);
  return {metadata: {...system, ...given, namespace}, ...shown};
}
