// SPDX-License-Identifier: Apache-2.0
/**
 * Which stack a project works on, kept where the CLI keeps it:
 * `$PULUMI_HOME/workspaces/<project>-<sha1 of the path of Pulumi.yaml>-workspace.json`, `{"stacks": {"<backend url>": "<full name>"}}`;
 * older ones have `{"stack": "<name>"}` for every backend. Ref: Pulumi pkg/workspace/settings.go.
 */
import {createHash} from 'node:crypto';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {type Env, pulumiHome} from '../backend/backend-url.ts';
import {readState, writeState} from '../backend/state-files.ts';
import {EngineError} from '../engine-error.ts';
import {isJsonObject, type JsonObject} from '../state/resource-json.ts';
import type {Project} from './project.ts';

export function selectionFile(project: Project, env: Env): string {
  const hash = createHash('sha1').update(project.file).digest('hex');
  return join(pulumiHome(env), 'workspaces', `${project.name}-${hash}-workspace.json`);
}

async function readSettings(path: string): Promise<JsonObject> {
  const text = await readState(path);
  if (text === undefined || text === '') return {};
  try {
    const settings: unknown = JSON.parse(text);
    return isJsonObject(settings) ? settings : {};
  } catch (cause) {
    throw new EngineError(`${path} is not valid JSON: remove it, and select the stack again`, {cause});
  }
}

/** The selected stack's name for this backend, or undefined. PULUMI_STACK wins over the file. */
export async function selectedStack(project: Project, env: Env, backendUrl: string): Promise<string | undefined> {
  if (env['PULUMI_STACK']) return env['PULUMI_STACK'];
  const settings = await readSettings(selectionFile(project, env));
  const byBackend = settings['stacks'];
  const stack = (isJsonObject(byBackend) ? byBackend[backendUrl] : undefined) ?? settings['stack'];
  return typeof stack === 'string' && stack !== '' ? stack : undefined;
}

/** `stack` is the full name; undefined: no stack is selected any more. Other members of the file are kept. */
export async function selectStack(
  project: Project,
  env: Env,
  backendUrl: string,
  stack: string | undefined,
): Promise<void> {
  const path = selectionFile(project, env);
  const {stack: _, stacks: before, ...others} = await readSettings(path);
  const {[backendUrl]: __, ...otherBackends} = isJsonObject(before) ? before : {};
  const stacks = stack === undefined ? otherBackends : {...otherBackends, [backendUrl]: stack};
  const settings = Object.keys(stacks).length === 0 ? others : {...others, stacks};
  if (Object.keys(settings).length === 0) await rm(path, {force: true});
  else await writeState(path, JSON.stringify(settings, undefined, 4));
}
