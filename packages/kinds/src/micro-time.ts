// SPDX-License-Identifier: Apache-2.0
/** A metav1.MicroTime, in UTC. */
export const toKubeMicroTime = (epochMs: number): string => new Date(epochMs).toISOString().replace('Z', '000Z');
