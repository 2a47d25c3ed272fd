// SPDX-License-Identifier: Apache-2.0
/** Invoke: a function of a provider, called by the program. The state has nothing of it. Ref: Pulumi source_eval.go Invoke. */
import {containsUnknowns, type InvokeResult, type PropertyMap} from '@palisade/provider';
import {EngineError, messageOf} from '../../engine-error.ts';
import {parseReference} from '../../state/urn.ts';
import type {Run} from '../run.ts';
import {packageOf} from './registration.ts';

export type InvokeGoal = {
  /** Full token, e.g. `platform:core/v1:getEndpoints`. */
  readonly token: string;
  readonly args: PropertyMap;
  /** Reference of the provider, or '' for the default one. */
  readonly provider: string;
  readonly version: string;
  readonly pluginDownloadUrl: string;
};

const NOTHING_KNOWN: InvokeResult = {result: {}, failures: []};

/**
 * Refused arguments come back as `failures`. A call that failed throws and does not fail the deployment by itself: the program may
 * catch it. In a preview, arguments or a provider configuration that are not known yet give an empty result.
 */
export async function invokeFunction(run: Run, goal: InvokeGoal): Promise<InvokeResult> {
  run.assertGoing();
  const reference = goal.provider === '' ? await run.defaults.reference(packageOf(goal.token), goal) : goal.provider;
  const provider = await run.options.providers.get(reference);
  if (run.dryRun) {
    const configuration = run.news.get(parseReference(reference).urn)?.inputs;
    if (containsUnknowns(goal.args) || containsUnknowns(configuration)) return NOTHING_KNOWN;
  }
  try {
    if (provider.invoke === undefined) throw new EngineError(`the ${provider.name} provider has no functions`);
    return await provider.invoke({token: goal.token, args: goal.args});
  } catch (error) {
    throw new EngineError(`invocation of ${goal.token} returned an error: ${messageOf(error)}`, {cause: error});
  }
}
