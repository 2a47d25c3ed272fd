// SPDX-License-Identifier: Apache-2.0
/**
 * Versions of a deployment, which are Pulumi's: either program can take over a stack. A state of an older version that a migration leads on from
 * is brought forward in memory, and the next write stores it. Ref: Pulumi sdk/go/common/apitype, DeploymentSchemaVersionCurrent.
 */
import {StateFault} from '../engine-error.ts';
import {isJsonObject, type JsonObject} from './resource-json.ts';

/** What this engine writes. */
export const DEPLOYMENT_VERSION = 3;

/** Leads from version `to - 1` to `to`. */
export type StateMigration = {readonly to: number; readonly migrate: (deployment: JsonObject) => JsonObject};

/** In order, up to DEPLOYMENT_VERSION. Version 3 is the first that palisade wrote. */
const MIGRATIONS: readonly StateMigration[] = [];

const writerOf = (deployment: unknown): string => {
  const manifest = isJsonObject(deployment) ? deployment['manifest'] : undefined;
  const version = isJsonObject(manifest) ? manifest['version'] : undefined;
  return typeof version === 'string' && version !== '' ? `Pulumi ${version}` : 'another program';
};

/** `deployment` as the newest version has it. Throws StateFault for a version that no migration leads on from, and for a newer one. */
export function atNewest<D extends JsonObject | undefined>(
  deployment: D,
  version: unknown,
  {newest, migrations} = {newest: DEPLOYMENT_VERSION, migrations: MIGRATIONS},
): D {
  if (version === newest || deployment === undefined) {
    assertKnown(deployment, version, newest, newest);
    return deployment;
  }
  const oldest = (migrations[0]?.to ?? newest + 1) - 1;
  assertKnown(deployment, version, oldest, newest);
  const missing = migrations.filter(({to}) => to > Number(version));
  return missing.reduce<JsonObject>((state, {migrate}) => migrate(state), deployment) as D;
}

function assertKnown(deployment: unknown, version: unknown, oldest: number, newest: number): void {
  const reads = oldest === newest ? `version ${newest}` : `versions ${oldest} to ${newest}`;
  if (typeof version !== 'number' || version < oldest)
    throw new StateFault(
      `its state has version ${JSON.stringify(version) ?? 'none'}, and this engine reads ${reads}; run "pulumi up" of the Pulumi CLI on the stack once to write version ${newest}. It was left as it is`,
    );
  if (version > newest)
    throw new StateFault(
      `its state has version ${version}, written by ${writerOf(deployment)}, and this engine reads ${reads}; use that program, or a newer palisade. It was left as it is`,
    );
}
