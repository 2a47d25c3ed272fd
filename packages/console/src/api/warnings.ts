// SPDX-License-Identifier: Apache-2.0
import type {OnWarning} from '@palisade/client/browser';

export type Warned<T> = {readonly answer: T; readonly warnings: readonly string[]};

/** The answer to a write on the Kubernetes side, and the warnings that came with it. */
export async function withWarnings<T>(write: (onWarning: OnWarning) => Promise<T>): Promise<Warned<T>> {
  const warnings: string[] = [];
  return {answer: await write(text => void warnings.push(text)), warnings};
}
