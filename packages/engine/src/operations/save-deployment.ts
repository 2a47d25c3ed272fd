// SPDX-License-Identifier: Apache-2.0
import type {StackReference} from '../backend/stack-reference.ts';
import {type Deployment, deploymentToJson, sealWith} from '../state/deployment-file.ts';
import type {Json} from '../state/resource-json.ts';
import type {OpenStack, Workspace} from './workspace.ts';

type Saving = {
  readonly to?: StackReference;
  /** When nothing was deployed: the manifest that the state had. */
  readonly manifest?: Json | undefined;
  /** The file that the previous state becomes, else its `.bak`. */
  readonly keepPrevious?: string;
};

export async function saveDeployment(
  workspace: Workspace,
  stack: Pick<OpenStack, 'ref' | 'secrets'>,
  state: Deployment,
  {to = stack.ref, manifest, keepPrevious}: Saving = {},
): Promise<void> {
  const backend = await workspace.backend();
  const time = workspace.system.clock.now().toISOString();
  const json = deploymentToJson(state, {time, salt: stack.secrets.state, seal: sealWith(stack.secrets)});
  await backend.save(to, JSON.stringify(manifest === undefined ? json : {...json, manifest}), {keepPrevious});
}
