// SPDX-License-Identifier: Apache-2.0
/** RegisterResource and ReadResource requests → goals. Options that the engine does not have are refused by their names. */
import {relative} from 'node:path';
import {fileURLToPath} from 'node:url';
import {type PropertyMap, UNKNOWN_SENTINEL} from '@palisade/provider';
import type {ReadResourceRequest, RegisterResourceRequest} from '@pulumi/pulumi/proto/resource_pb.js';
import type {SourcePosition} from '@pulumi/pulumi/proto/source_pb.js';
import {pluginInputs} from '../deploy/default-providers.ts';
import type {Alias, Goal, ReadGoal, StackFrame} from '../deploy/goal.ts';
import {EngineError} from '../engine-error.ts';
import type {CustomTimeouts} from '../state/resource-state.ts';
import {isProviderType} from '../state/urn.ts';
import {decodeStruct} from './wire.ts';

/** Throws EngineError naming every option that is not supported. */
export function decodeGoal(request: RegisterResourceRequest, projectFolder: string): Goal {
  refuseUnknownOptions(request);
  return {
    type: request.getType(),
    name: request.getName(),
    custom: request.getCustom(),
    parent: request.getParent(),
    inputs: decodeInputs(request),
    dependencies: unique(request.getDependenciesList()),
    propertyDependencies: decodePropertyDependencies(request),
    provider: request.getProvider(),
    version: request.getVersion(),
    pluginDownloadUrl: request.getPlugindownloadurl(),
    protect: request.getProtect() === true,
    retainOnDelete: request.getRetainondelete() === true,
    deleteBeforeReplace: request.getDeletebeforereplacedefined() ? request.getDeletebeforereplace() : undefined,
    ignoreChanges: request.getIgnorechangesList(),
    replaceOnChanges: request.getReplaceonchangesList(),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    aliases: decodeAliases(request),
    importId: request.getImportid(),
    customTimeouts: decodeTimeouts(request),
    deletedWith: request.getDeletedwith(),
    sourcePosition: decodePosition(request.getSourceposition(), projectFolder),
    stackTrace: decodeTrace(request, projectFolder),
  };
}

/** Programs send what they were given; older SDKs work out the URNs themselves. */
function decodeAliases(request: RegisterResourceRequest): readonly Alias[] {
  const given = request.getAliasesList().map((alias): Alias => {
    const spec = alias.getSpec();
    if (spec === undefined) return {urn: alias.getUrn()};
    const parent = spec.getNoparent() ? '' : spec.getParenturn() || undefined;
    return {name: spec.getName(), type: spec.getType(), stack: spec.getStack(), project: spec.getProject(), parent};
  });
  return [...given, ...request.getAliasurnsList().map(urn => ({urn}))];
}

/** A provider that the program declares keeps the version of its plugin with its configuration. */
function decodeInputs(request: RegisterResourceRequest): PropertyMap {
  const inputs = decodeStruct(request.getObject());
  const wanted = {version: request.getVersion(), pluginDownloadUrl: request.getPlugindownloadurl()};
  return isProviderType(request.getType()) ? pluginInputs(inputs, wanted) : inputs;
}

function refuseUnknownOptions(request: RegisterResourceRequest): void {
  const hooks = request.getHooks()?.toObject();
  const unsupported: Readonly<Record<string, boolean>> = {
    hooks: hooks !== undefined && Object.values(hooks).some(list => list.length > 0),
    transforms: request.getTransformsList().length > 0,
    replaceWith: request.getReplaceWithList().length > 0,
    replacementTrigger: request.hasReplacementTrigger() && request.getReplacementTrigger()?.hasNullValue() === false,
    hideDiffs: request.getHidediffsList().length > 0,
    stateMigrations: request.getStateMigrationsList().length > 0,
    envVarMappings: request.getEnvvarmappingsMap().getLength() > 0,
  };
  const names = Object.keys(unsupported).filter(name => unsupported[name] === true);
  if (names.length > 0)
    throw new EngineError(
      `${request.getType()} resource '${request.getName()}': ` +
        `${names.length === 1 ? 'option' : 'options'} ${names.join(', ')} not supported by the embedded engine; ` +
        'leave it out, or use the Pulumi CLI for this program',
    );
  if (request.getRemote())
    throw new EngineError(
      `${request.getType()} resource '${request.getName()}': remote components are not supported by the embedded engine`,
    );
  if (request.getPackageref() !== '')
    throw new EngineError(
      `${request.getType()} resource '${request.getName()}': parameterized packages are not supported by the embedded engine`,
    );
}

function decodePropertyDependencies(request: RegisterResourceRequest): Record<string, readonly string[]> {
  const dependencies: Record<string, readonly string[]> = {};
  request.getPropertydependenciesMap().forEach((value, key) => {
    dependencies[key] = unique(value.getUrnsList());
  });
  return dependencies;
}

const unique = (urns: readonly string[]): readonly string[] => [...new Set(urns)].sort();

export function decodeReadGoal(request: ReadResourceRequest, projectFolder: string): ReadGoal {
  const id = request.getId();
  return {
    type: request.getType(),
    name: request.getName(),
    parent: request.getParent(),
    provider: request.getProvider(),
    version: request.getVersion(),
    pluginDownloadUrl: request.getPlugindownloadurl(),
    dependencies: unique(request.getDependenciesList()),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    sourcePosition: decodePosition(request.getSourceposition(), projectFolder),
    stackTrace: decodeTrace(request, projectFolder),
    id: id === '' || id === UNKNOWN_SENTINEL ? undefined : id,
    properties: decodeStruct(request.getProperties()),
  };
}

function decodeTimeouts(request: RegisterResourceRequest): CustomTimeouts {
  const given = request.getCustomtimeouts();
  const timeouts: CustomTimeouts = {};
  if (given === undefined) return timeouts;
  const texts = {create: given.getCreate(), update: given.getUpdate(), delete: given.getDelete()} as const;
  for (const key of ['create', 'update', 'delete'] as const)
    if (texts[key] !== '') timeouts[key] = parseDuration(texts[key], `customTimeouts.${key}`);
  return timeouts;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = {ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600};

/** Go's duration text (`1h30m`, `90s`, `1.5m`) in seconds. Throws EngineError. */
export function parseDuration(text: string, what: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(part => part[0]).join('') !== text)
    throw new EngineError(`${what}: "${text}" is not a duration such as "90s", "5m" or "1h30m"`);
  return parts.reduce((sum, part) => sum + Number(part[1]) * (UNIT_SECONDS[part[2] ?? ''] ?? 0), 0);
}

/** `project:///<path seen from the project>#<line>,<column>`; '' when there is none. */
function decodePosition(position: SourcePosition | undefined, projectFolder: string): string {
  if (position?.getUri().startsWith('file://') !== true) return '';
  const path = relative(projectFolder, fileURLToPath(position.getUri()));
  const column = position.getColumn() > 0 ? `,${position.getColumn()}` : '';
  return `project:///${path}#${position.getLine()}${column}`;
}

function decodeTrace(
  request: Pick<RegisterResourceRequest, 'getStacktrace'>,
  projectFolder: string,
): readonly StackFrame[] {
  const frames = request.getStacktrace()?.getFramesList() ?? [];
  return frames.map(frame => {
    const sourcePosition = decodePosition(frame.getPc(), projectFolder);
    return sourcePosition === '' ? {} : {sourcePosition};
  });
}
