// SPDX-License-Identifier: Apache-2.0
/**
 * Option `import`: an object that exists already comes under the program's care, as it is; what the program says is secret is so from
 * the beginning. What it says otherwise is a change like any other and follows at once.
 * Ref: Pulumi ImportStep, continueStepsFromImport.
 */
import {concealProperties, type Provider, type ReadResult} from '@palisade/provider';
import {EngineError} from '../../engine-error.ts';
import type {ResourceState} from '../../state/resource-state.ts';
import type {Step} from '../events.ts';
import type {Run} from '../run.ts';
import type {Registration} from './registration.ts';
import {concealOutputs} from './secret-outputs.ts';

/** Resolves to the object as it was found. */
export async function importResource(run: Run, registration: Registration): Promise<ResourceState> {
  const {goal, next, old, provider} = registration;
  if (provider === undefined) throw new EngineError('only custom resources can be imported');
  const replacing = old !== undefined && !old.external;
  const found: ResourceState = {...next};
  const step: Step = {op: replacing ? 'import-replacement' : 'import', urn: next.urn, old, next: found};
  await run.slots.run(async () => {
    run.assertGoing();
    run.begin(step);
    const read = await readOrFail(run, provider, {urn: next.urn, id: goal.importId});
    const {urn, additionalSecretOutputs: additional} = next;
    found.id = read.id;
    found.inputs = concealProperties(read.inputs, goal.inputs);
    found.outputs = concealOutputs(run, {urn, inputs: found.inputs, additional}, read.properties);
    if (!run.dryRun) {
      found.created = run.now();
      found.modified = found.created;
    }
    if (old !== undefined) {
      run.pendingDeletes.add(old);
      if (!run.dryRun) old.delete = true;
    }
    await run.snapshot?.finish(found, {add: true});
    run.end(step);
  });
  if (replacing) run.end({op: 'replace', urn: next.urn, old, next: found});
  next.created = found.created;
  next.modified = found.modified;
  return found;
}

async function readOrFail(run: Run, provider: Provider, {urn, id}: {urn: string; id: string}): Promise<ReadResult> {
  try {
    const read = await provider.read({urn, id, properties: {}, inputs: {}});
    if (read.id === '') throw new EngineError(`resource '${id}' does not exist`);
    return read;
  } catch (error) {
    throw run.failStep(urn, error);
  }
}
