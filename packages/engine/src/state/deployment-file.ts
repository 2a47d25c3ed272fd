// SPDX-License-Identifier: Apache-2.0
/**
 * Deployment v3: what `stack export` prints (`{version, deployment}`) and what the file backend keeps
 * (`{version, checkpoint: {stack, latest}}`). `manifest.magic` is the hex SHA-256 of `manifest.version`.
 * Ref: Pulumi sdk/go/common/apitype DeploymentV3, ManifestV1.
 */
import {createHash} from 'node:crypto';
import {EngineError, StateFault} from '../engine-error.ts';
import {
  holdsSealedSecrets,
  isDeeper,
  isJsonObject,
  type Json,
  type JsonObject,
  type SecretWriter,
  stateFromJson,
  stateToJson,
} from './resource-json.ts';
import type {OperationType, ResourceState} from './resource-state.ts';
import type {SecretsManager} from './secrets.ts';

/** The Pulumi version whose state format this engine writes; goes into the manifest. */
export const FORMAT_VERSION = 'v3.260.0';

export type PendingOperation = {readonly resource: ResourceState; readonly type: OperationType};

/** A whole state in memory. */
export type Deployment = {
  readonly resources: readonly ResourceState[];
  readonly pendingOperations: readonly PendingOperation[];
  /** Members of the deployment that this engine does not know (`metadata`, `snippets`, …). */
  readonly extra: Readonly<Record<string, unknown>>;
};

export const EMPTY_DEPLOYMENT: Deployment = {resources: [], pendingOperations: [], extra: {}};

const OWN = new Set(['manifest', 'secrets_providers', 'resources', 'pending_operations']);

export const manifestAt = (time: string): JsonObject => ({
  time,
  magic: createHash('sha256').update(FORMAT_VERSION).digest('hex'),
  version: FORMAT_VERSION,
});

/** `secrets_providers` of a state; undefined when it has none. Throws for a kind that only the real CLI can read. */
export function saltOf(deployment: unknown): string | undefined {
  if (!isJsonObject(deployment)) return undefined;
  const provider = deployment['secrets_providers'];
  if (!isJsonObject(provider)) return undefined;
  const type = provider['type'];
  if (type === 'b64' || type === '' || type === undefined) return undefined;
  if (type !== 'passphrase')
    throw new EngineError(
      `the secrets of this stack are kept by ${JSON.stringify(type)}: only the passphrase secrets manager is supported; ` +
        'change it with the Pulumi CLI first: pulumi stack change-secrets-provider passphrase',
    );
  const state = provider['state'];
  const salt = isJsonObject(state) ? state['salt'] : undefined;
  return typeof salt === 'string' ? salt : undefined;
}

/** Reads a deployment; unlocks the secrets only when there are any. Throws StateFault for anything else: read as empty, all its objects would be created again. */
export async function readDeployment(json: unknown, secrets: SecretsManager): Promise<Deployment> {
  if (!isJsonObject(json)) return EMPTY_DEPLOYMENT;
  refuseDeep(json);
  if (holdsSealedSecrets(json['resources']) || holdsSealedSecrets(json['pending_operations'])) await secrets.unlock();
  return deploymentOf(json, sealed => secrets.decrypt(sealed));
}

/** The same with null in place of what is sealed: enough to see how its resources fit together. */
export function readWithoutSecrets(json: unknown): Deployment {
  if (!isJsonObject(json)) return EMPTY_DEPLOYMENT;
  refuseDeep(json);
  return deploymentOf(json, () => 'null');
}

/** Far more than a program has; what is deeper overflows the stack of whoever walks through it. */
const DEPTH_MAX = 1_000;

function refuseDeep(json: JsonObject): void {
  if (isDeeper(json, DEPTH_MAX)) throw new StateFault('the state is nested too deeply');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function deploymentOf(json: JsonObject, open: (sealed: string) => string): Deployment {
  checkManifest(json['manifest']);
  const resources = listOf(json, 'resources');
  const pending = listOf(json, 'pending_operations');
  return {
    resources: resources.map(resource => stateFromJson(resource, open)),
    pendingOperations: pending.map(operation => {
      if (!isJsonObject(operation)) throw new StateFault('a pending operation in the state is not an object');
      return {resource: stateFromJson(operation['resource'], open), type: textOf(operation['type']) as OperationType};
    }),
    extra: Object.fromEntries(Object.entries(json).filter(([key]) => !OWN.has(key))),
  };
}

function listOf(json: JsonObject, key: 'resources' | 'pending_operations'): readonly Json[] {
  const list = json[key] ?? [];
  if (!Array.isArray(list)) throw new StateFault(`${key} of the state is not a list`);
  return list;
}

function checkManifest(manifest: unknown): void {
  if (!isJsonObject(manifest)) return;
  const [version, magic] = [textOf(manifest['version']), textOf(manifest['magic'])];
  const expected = version === '' ? '' : createHash('sha256').update(version).digest('hex');
  if (magic !== expected)
    throw new StateFault('the state was changed by hand or is damaged: magic cookie mismatch in its manifest');
}

export const sealWith =
  (secrets: SecretsManager): SecretWriter =>
  text => ({ciphertext: secrets.encrypt(text)});

/** For `stack export --show-secrets`. */
export const sealNothing: SecretWriter = text => ({plaintext: text});

export function deploymentToJson(
  deployment: Deployment,
  options: {time: string; salt: string | undefined; seal: SecretWriter},
): JsonObject {
  return {
    manifest: manifestAt(options.time),
    ...secretsProviders(options.salt),
    ...(deployment.resources.length === 0
      ? {}
      : {resources: deployment.resources.map(state => stateToJson(state, options.seal))}),
    ...(deployment.pendingOperations.length === 0
      ? {}
      : {
          pending_operations: deployment.pendingOperations.map(operation => ({
            resource: stateToJson(operation.resource, options.seal),
            type: operation.type,
          })),
        }),
    metadata: {},
    ...(deployment.extra as JsonObject),
  };
}

export const secretsProviders = (salt: string | undefined): JsonObject =>
  salt === undefined ? {} : {secrets_providers: {type: 'passphrase', state: {salt}}};
