// SPDX-License-Identifier: Apache-2.0
/**
 * A kind as a resource of package `platform`. Id: `<namespace>/<name>`. Create never takes over an existing object; delete and update
 * are guarded by the recorded uid.
 */
import {type Clock, isAlreadyExists, isKubeError, type KubeClient, type KubeObject} from '@palisade/client';
import {withDeadline, withGrace} from '../../deadline.ts';
import {diffProperties, toDiffResult} from '../../detailed-diff.ts';
import {mapAt, stringAt} from '../../property-access.ts';
import {
  type CheckFailure,
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
} from '../../provider.ts';
import {checkShape, cleanInputs} from '../../schema/check-shape.ts';
import {PLATFORM} from '../../schema/platform.ts';
import {containsUnknowns, type PropertyMap} from '../../value.ts';
import type {CallContext, ResourceModule} from '../resource.ts';
import {Faults} from './faults.ts';
import {emptyContent, importInputs, inputsOf, patchOf, projectInputs, toComparable} from './kube-inputs.ts';
import type {KubeKind} from './kube-kind.ts';
import {previewOutputs, toOutputs} from './kube-outputs.ts';
import {
  describePlace,
  findLive,
  findOurs,
  isMarked,
  isOurs,
  isUnserved,
  notGone,
  type Place,
  type Settled,
  startDelete,
  uidOf,
  unserved,
  untilDone,
  untilGone,
} from './live-object.ts';
import {metadataFaults} from './metadata-rules.ts';
import {fillName, formatId, isAutomaticName, namespaceOf, type ObjectKey, parseId} from './object-name.ts';

const FIELD_MANAGER = 'palisade-provider';
/** Of a create or an update, with the wait for the kind's controller. */
const WRITE_TIMEOUT_S = 120;
/** A delete waits for finalizers and grace. */
const DELETE_TIMEOUT_S = 600;

export type KubeDependencies = {
  /** Throws when no server is configured. */
  readonly client: () => KubeClient;
  readonly clock: Clock;
};

/** One kind with what its calls need. */
type Scope = KubeDependencies & {readonly kind: KubeKind};

export function createKubeResource(kind: KubeKind, dependencies: KubeDependencies): ResourceModule {
  const scope: Scope = {...dependencies, kind};
  return {
    type: `${PLATFORM.name}:${kind.token}`,
    check: request => check(request, kind),
    diff: request => diff(request, kind),
    create: (request, context) => create(request, context, scope),
    read: (request, context) => read(request, context, scope),
    update: (request, context) => update(request, context, scope),
    delete: (request, context) => remove(request, context, scope),
    lookUp: {
      token: `${PLATFORM.name}:${kind.lookUp.token}`,
      check: lookUpFaults,
      invoke: (args, context) => lookUp(args, context, scope),
    },
  };
}

const placeOf = ({kind, client, clock}: Scope, key: ObjectKey): Place => ({
  kind,
  clock,
  key,
  client: client().resource(kind.type),
});

function lookUpFaults(args: PropertyMap): CheckFailure[] {
  const faults = new Faults();
  metadataFaults(args, faults);
  return faults.list.map(fault => ({...fault, property: fault.property.replace('metadata.', '')}));
}

function check(request: CheckRequest, kind: KubeKind): CheckResult {
  const inputs = inputsOf(kind);
  const clean = cleanInputs(PLATFORM, inputs, request.news);
  const shape = checkShape(PLATFORM, inputs, clean);
  const named = fillName(request, clean);
  const faults = new Faults();
  metadataFaults(mapAt(named.inputs, 'metadata'), faults);
  kind.faults?.(named.inputs, request.olds, faults);
  // A value of the wrong type is one fault, not two.
  const seen = new Set(shape.map(failure => failure.property));
  const rest = [...named.failures, ...faults.list].filter(failure => !seen.has(failure.property));
  return {inputs: named.inputs, failures: [...shape, ...rest]};
}

function diff(request: DiffRequest, kind: KubeKind): DiffResult {
  const before = withLiveName(toComparable(kind, request.oldInputs), request);
  const after = toComparable(kind, request.news);
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

async function create(request: CreateRequest, context: CallContext, scope: Scope): Promise<CreateResult> {
  const {news} = request;
  const {kind, clock, client} = scope;
  const namespace = namespaceOf(news);
  const given = stringAt(mapAt(news, 'metadata'), 'name') ?? '';
  const object = {...news, metadata: {...mapAt(news, 'metadata'), namespace}} as unknown as KubeObject;
  if (request.preview) {
    const dry = {fieldManager: FIELD_MANAGER, dryRun: true, signal: context.signal};
    await rehearse(kind, news, () => client().resource(kind.type).create(namespace, object, dry));
    return {id: '', properties: previewOutputs(kind, news)};
  }
  refuseUnknowns(news, request.urn);
  const key = {namespace, name: given};
  const bounds = boundsOf(request, context, clock, WRITE_TIMEOUT_S, `creating ${describePlace({kind, key})}`);
  const until = clock.now() + bounds.timeoutMs;
  const made = await withGrace(bounds, parent =>
    withDeadline({...bounds, parent}, signal =>
      placeOf(scope, key).client.create(namespace, object, {fieldManager: FIELD_MANAGER, signal}),
    ),
  ).catch((error: unknown) => {
    throw notMade(error, kind, key);
  });
  const place = placeOf(scope, {namespace, name: made.metadata?.name ?? given});
  const settled = await settle(place, made, {...bounds, timeoutMs: until - clock.now()});
  const id = formatId(place.key);
  const properties = toOutputs(kind, settled.live, news);
  if (settled.reason !== undefined)
    throw new ResourceInitError({id, properties, inputs: news, reasons: [settled.reason]});
  return {id, properties};
}

/**
 * Lets the server judge by its own rules in a preview, where the provider has none of this kind. Only a refusal of the values counts:
 * what is missing now (a namespace, the server itself) may be there by the time of the deployment.
 */
async function rehearse(kind: KubeKind, news: PropertyMap, send: () => Promise<unknown>): Promise<void> {
  if (kind.faults !== undefined || containsUnknowns(news)) return;
  try {
    await send();
  } catch (error) {
    if (isKubeError(error) && error.status.reason === 'Invalid') throw error;
  }
}

function notMade(error: unknown, kind: KubeKind, key: ObjectKey): unknown {
  if (isUnserved(error)) return unserved(kind.type, error);
  if (!isAlreadyExists(error) || key.name === '') return error;
  const message = `${describePlace({kind, key})} already exists: give another name, adopt it with the import option and id ${formatId(key)}, or, if it is the object to replace, set the option deleteBeforeReplace`;
  return new ProviderError('already-exists', message, {cause: error});
}

/** Waits for the kind's controller; the end of the time is the end of the wait, as the object exists. */
const settle = (place: Place, live: KubeObject, bounds: Bounds): Promise<Settled> =>
  withDeadline(bounds, signal => untilDone(place, live, signal));

async function read(request: ReadRequest, context: CallContext, scope: Scope): Promise<ReadResult> {
  const {kind} = scope;
  const key = keyOf(request.id, kind);
  const live = await findLive(placeOf(scope, key), context.signal);
  // What is imported or only looked up (`Endpoints.get`) is whatever has the name.
  const isOwned = Object.keys(request.inputs).length > 0;
  // Another one under the name of an owned one is somebody else's: it becomes this one only by an import.
  if (live === undefined || (isOwned && !isOurs(live, uidOf(request.properties))))
    return {id: '', properties: {}, inputs: {}};
  const object = live as unknown as PropertyMap;
  const inputs = isOwned ? projectInputs(kind, request.inputs, object) : importInputs(kind, object);
  const properties = toOutputs(kind, live, inputs);
  // What is looked up again stays without inputs: with some it would count as owned the next time.
  const isLookedUp = !isOwned && Object.keys(request.properties).length > 0;
  const result = {id: formatId(key), inputs: isLookedUp ? {} : inputs, properties};
  const reason = isOwned ? whyUnhealthy(live, {kind, key}) : undefined;
  if (reason !== undefined) throw new ResourceInitError({...result, reasons: [reason]});
  return result;
}

/** Why an object of ours needs the next deployment, though it is there. */
function whyUnhealthy(live: KubeObject, place: Pick<Place, 'kind' | 'key'>): string | undefined {
  if (isMarked(live)) return notGone(place, live);
  const progress = place.kind.progress?.(live);
  return progress?.state === 'failed' ? `${describePlace(place)} ${progress.reason}` : undefined;
}

async function lookUp(args: PropertyMap, context: CallContext, scope: Scope): Promise<PropertyMap> {
  const {kind} = scope;
  const key = {namespace: namespaceOf({metadata: args}), name: stringAt(args, 'name') ?? ''};
  const live = await findLive(placeOf(scope, key), context.signal);
  if (live === undefined) throw new ProviderError('not-found', `${describePlace({kind, key})} does not exist`);
  return {id: formatId(key), ...toOutputs(kind, live, {[kind.content.key]: emptyContent(kind)})};
}

async function update(request: UpdateRequest, context: CallContext, scope: Scope): Promise<UpdateResult> {
  const {news, olds, oldInputs} = request;
  const {kind, clock, client} = scope;
  const key = keyOf(request.id, kind);
  if (request.preview) {
    const patch = patchOf(kind, oldInputs, news, undefined);
    const dry = {fieldManager: FIELD_MANAGER, dryRun: true, signal: context.signal};
    const {namespace, name} = key;
    if (patch !== undefined)
      await rehearse(kind, news, () => client().resource(kind.type).patch(namespace, name, 'strategic', patch, dry));
    return {properties: previewOutputs(kind, news, olds)};
  }
  refuseUnknowns(news, request.urn);
  const place = placeOf(scope, key);
  const uid = uidOf(olds);
  const patch = patchOf(kind, oldInputs, news, uid);
  const bounds = boundsOf(request, context, clock, WRITE_TIMEOUT_S, `updating ${describePlace(place)}`);
  const until = clock.now() + bounds.timeoutMs;
  const written = await withDeadline(bounds, async signal => {
    const sent = patch === undefined ? undefined : await sendPatch(place, patch, uid, signal);
    // Of an object that is being deleted the answer to a patch has what was written, not whether the object is gone now.
    return sent !== undefined && !isMarked(sent) ? sent : findOurs(place, uid, signal);
  });
  const {live, reason = isMarked(written) ? notGone(place, written) : undefined} = await settle(place, written, {
    ...bounds,
    timeoutMs: until - clock.now(),
  });
  const properties = toOutputs(kind, live, news);
  if (reason !== undefined) throw new ResourceInitError({id: request.id, properties, inputs: news, reasons: [reason]});
  return {properties};
}

async function sendPatch(
  place: Place,
  patch: PropertyMap,
  uid: string | undefined,
  signal: AbortSignal,
): Promise<KubeObject> {
  const {client, key} = place;
  try {
    return await client.patch(key.namespace, key.name, 'strategic', patch, {fieldManager: FIELD_MANAGER, signal});
  } catch (error) {
    if (!isKubeError(error)) throw error;
    // The refusal of a changed uid differs between servers: the object itself shows it, if it may be read.
    const found: unknown = await findOurs(place, uid, signal).catch((reason: unknown) => reason);
    throw found instanceof ProviderError ? new ProviderError(found.code, found.message, {cause: error}) : error;
  }
}

async function remove(request: DeleteRequest, context: CallContext, scope: Scope): Promise<void> {
  const {kind, clock} = scope;
  const place = placeOf(scope, keyOf(request.id, kind));
  const uid = uidOf(request.properties);
  const bounds = boundsOf(request, context, clock, DELETE_TIMEOUT_S, `deleting ${describePlace(place)}`);
  let held: KubeObject | undefined;
  try {
    await withDeadline(bounds, async signal => {
      const first = await startDelete(place, uid, signal);
      await untilGone(place, first, live => (held = live), signal);
    });
  } catch (error) {
    if (held === undefined || isKubeError(error)) throw error;
    const code = error instanceof ProviderError ? error.code : 'cancelled';
    throw new ProviderError(code, notGone(place, held), {cause: error});
  }
}

function keyOf(id: string, {type}: KubeKind): ObjectKey {
  const key = parseId(id);
  if (key !== undefined) return key;
  throw new ProviderError(
    'invalid-argument',
    `${JSON.stringify(id)} is not an ID of ${type.kind}: expected <namespace>/<name>`,
  );
}

function refuseUnknowns(news: PropertyMap, urn: string): void {
  if (containsUnknowns(news)) throw new ProviderError('invalid-argument', `${urn}: an input is still unknown`);
}

type Bounds = Parameters<typeof withDeadline>[0];

function boundsOf(
  request: {readonly timeoutSeconds?: number | undefined},
  context: CallContext,
  clock: Clock,
  defaultSeconds: number,
  what: string,
): Bounds {
  const seconds = request.timeoutSeconds || defaultSeconds;
  return {clock, parent: context.signal, timeoutMs: seconds * 1000, what};
}
