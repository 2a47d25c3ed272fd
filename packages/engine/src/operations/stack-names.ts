// SPDX-License-Identifier: Apache-2.0
/** Names of stacks for completion: reads only, and loads no more of the engine than it needs. */
import {backendUrl, type Env, fileBackendFolder} from '../backend/backend-url.ts';
import {FileBackend} from '../backend/file-backend.ts';
import {qualifiedName} from '../backend/stack-reference.ts';
import {realSystem} from '../system.ts';
import {findProjectFile, loadProject} from '../workspace/project.ts';

/** Of the project in `cwd` by their short names; outside a project all, by their full names. Throws EngineError. */
export async function stackNames(cwd: string, env: Env): Promise<string[]> {
  const project = findProjectFile(cwd) === undefined ? undefined : loadProject(cwd);
  const {url, from} = backendUrl(env, project?.backendUrl);
  const backend = new FileBackend({
    root: fileBackendFolder(url, env, cwd, from),
    url,
    system: realSystem(),
    note: () => {},
  });
  const refs = await backend.list();
  return refs.flatMap(ref =>
    project === undefined ? [qualifiedName(ref)] : ref.project === project.name ? [ref.name] : [],
  );
}
