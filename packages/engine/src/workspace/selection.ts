// SPDX-License-Identifier: Apache-2.0
/**
 * Which stack a project works on, kept where the CLI keeps it:
 * `$PULUMI_HOME/workspaces/<project>-<sha1 of the path of Pulumi.yaml>-workspace.json`, `{"stack": "dev"}`.
 * Ref: Pulumi pkg/workspace/workspace.go.
 */
import {createHash} from 'node:crypto';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {type Env, pulumiHome} from '../backend/backend-url.ts';
import {readIfThere, writeDurably} from '../backend/files.ts';
import {EngineError} from '../engine-error.ts';
import {isJsonObject, type JsonObject} from '../state/resource-json.ts';
import type {Project} from './project.ts';

export function selectionFile(project: Project, env: Env): string {
  const hash = createHash('sha1').update(project.file).digest('hex');
  return join(pulumiHome(env), 'workspaces', `${project.name}-${hash}-workspace.json`);
}

async function readSettings(path: string): Promise<JsonObject> {
  const text = await readIfThere(path);
  if (text === undefined || text === '') return {};
  try {
    const settings: unknown = JSON.parse(text);
    return isJsonObject(settings) ? settings : {};
  } catch (cause) {
    throw new EngineError(`could not parse file ${path}`, {cause});
  }
}

/** The selected stack's name, or undefined. PULUMI_STACK wins over the file. */
export async function selectedStack(project: Project, env: Env): Promise<string | undefined> {
  if (env['PULUMI_STACK']) return env['PULUMI_STACK'];
  const stack = (await readSettings(selectionFile(project, env)))['stack'];
  return typeof stack === 'string' && stack !== '' ? stack : undefined;
}

/** undefined: no stack is selected any more. Other members of the file are kept. */
export async function selectStack(project: Project, env: Env, stack: string | undefined): Promise<void> {
  const path = selectionFile(project, env);
  const {stack: _, ...others} = await readSettings(path);
  if (stack === undefined && Object.keys(others).length === 0) {
    await rm(path, {force: true});
    return;
  }
  const settings = stack === undefined ? others : {stack, ...others};
  await writeDurably(path, JSON.stringify(settings, undefined, 4));
}
