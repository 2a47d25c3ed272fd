// SPDX-License-Identifier: Apache-2.0
/** Percent-encoded reason of a write that overrides a hold (E-238); `palisade confirm-deletion` sends it, others may. */
export const REASON_HEADER = 'x-palisade-reason';
