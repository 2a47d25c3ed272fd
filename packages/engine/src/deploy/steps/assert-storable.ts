// SPDX-License-Identifier: Apache-2.0
import {containsSecrets, type PropertyMap} from '@palisade/provider';
import {EngineError, messageOf} from '../../engine-error.ts';
import type {Run} from '../run.ts';

type Holder = {readonly values: PropertyMap; readonly additionalSecretOutputs?: readonly string[]};

/** A secret that could not be written down later, for want of a passphrase, must not come about now. Throws EngineError. */
export async function assertStorable(run: Run, what: string, holder: Holder): Promise<void> {
  const {values, additionalSecretOutputs = []} = holder;
  if (run.dryRun || (additionalSecretOutputs.length === 0 && !containsSecrets(values))) return;
  try {
    await run.options.unlockSecrets();
  } catch (cause) {
    throw new EngineError(`${what} has a secret: ${messageOf(cause)}`, {cause});
  }
}
