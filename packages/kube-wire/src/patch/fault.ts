// SPDX-License-Identifier: Apache-2.0
/** Why a patch or an apply was refused: everything a `Status` needs, decided here, rendered by the verb. */
import {cannotUnmarshal} from '../codec/decode-error.ts';

export type PatchFault = {
  readonly code: 400 | 409 | 413 | 422 | 500;
  /** `reason` of the Status; empty where upstream answers a plain error (500). */
  readonly reason: '' | 'BadRequest' | 'Conflict' | 'Invalid' | 'RequestEntityTooLarge';
  readonly message: string;
  readonly causes?: readonly PatchCause[];
  /** The Status carries `details: {}` although there is nothing in it. */
  readonly emptyDetails?: true;
};

export type PatchCause = {readonly reason: string; readonly message: string; readonly field: string};

/** Thrown inside apply and patch; turned into a result at their border, never seen by callers. */
export class PatchRefused extends Error {
  readonly fault: PatchFault;

  constructor(fault: PatchFault) {
    super(fault.message);
    this.name = 'PatchRefused';
    this.fault = fault;
  }
}

export function badRequest(message: string): PatchRefused {
  return new PatchRefused({code: 400, reason: 'BadRequest', message});
}

/** What upstream says of a patch that is not of the form it checks first; `where` as `cannotUnmarshal` has it. */
export function undecodable(what: string, where: string): PatchRefused {
  return badRequest(`error decoding patch: ${cannotUnmarshal(what, where)}`);
}

/** An error that upstream does not classify: 500 without a reason, the text as it is. */
export function unclassified(message: string): PatchRefused {
  return new PatchRefused({code: 500, reason: '', message});
}

/** Upstream's answer to a patch that does not fit the document: one text for all of them. */
export function unprocessable(): PatchRefused {
  return new PatchRefused({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    emptyDetails: true,
  });
}

/** Runs `work` and turns a refusal into its fault; other errors are bugs and pass. */
export function caughtFault<T>(work: () => T): {ok: true; value: T} | {ok: false; fault: PatchFault} {
  try {
    return {ok: true, value: work()};
  } catch (error) {
    if (error instanceof PatchRefused) return {ok: false, fault: error.fault};
    throw error;
  }
}
