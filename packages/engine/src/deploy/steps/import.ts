// SPDX-License-Identifier: Apache-2.0
/** Option `import`: an object that exists already comes under the program's care. Any difference to what the program says fails. */
import {EngineError} from '../../engine-error.ts';
import type {ResourceState} from '../../state/resource-state.ts';
import type {Step} from '../events.ts';
import type {Run} from '../run.ts';
import {checkInputs} from './check.ts';
import {judgeDiff} from './judge-diff.ts';
import {ignoreChanges, type Registration} from './registration.ts';
import {concealOutputs} from './secret-outputs.ts';

export async function importResource(run: Run, registration: Registration): Promise<ResourceState> {
  const {goal, next, old, provider} = registration;
  if (provider === undefined) throw new EngineError('only custom resources can be imported');
  const replacing = old !== undefined && !old.external;
  const step: Step = {op: replacing ? 'import-replacement' : 'import', urn: next.urn, old, next};
  run.assertGoing();
  run.begin(step);
  await run.slots.run(async () => {
    const read = await provider.read({urn: next.urn, id: goal.importId, properties: {}, inputs: {}});
    if (read.id === '') throw new EngineError(`resource '${goal.importId}' does not exist`);
    const live: ResourceState = {...next, id: read.id, inputs: read.inputs, outputs: read.properties};
    const inputs = ignoreChanges(goal, read.inputs);
    await checkInputs(run, {...registration, goal: {...goal, inputs, ignoreChanges: []}}, live);
    const diff = await provider.diff({
      urn: next.urn,
      id: read.id,
      olds: read.properties,
      oldInputs: read.inputs,
      news: next.inputs,
      ignoreChanges: goal.ignoreChanges,
    });
    const judgement = judgeDiff(diff, goal.replaceOnChanges, false);
    if (judgement.action !== 'same') refuse(run, next, [...Object.keys(diff.detailedDiff), ...diff.diffs]);
    next.id = read.id;
    const {urn, additionalSecretOutputs: additional} = next;
    next.outputs = concealOutputs(run, {urn, inputs: next.inputs, additional}, read.properties);
    if (!run.dryRun) {
      next.created = run.now();
      next.modified = next.created;
    }
  });
  if (old !== undefined) {
    run.pendingDeletes.add(old);
    if (!run.dryRun) old.delete = true;
  }
  await run.snapshot?.finish(next, {add: true});
  run.end(step);
  if (replacing) run.end({op: 'replace', urn: next.urn, old, next});
  return next;
}

function refuse(run: Run, next: ResourceState, paths: readonly string[]): void {
  const where = [...new Set(paths)].sort().join(', ');
  const message = `inputs to import do not match the existing resource (${where}); importing this resource will fail`;
  if (!run.dryRun) throw new EngineError(message);
  run.tell('warning', next.urn, message);
}
