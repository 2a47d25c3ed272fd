// SPDX-License-Identifier: Apache-2.0
/** metav1.MicroTime: six digits. */
export const toMicroTime = (epochMs: number): string => `${new Date(epochMs).toISOString().slice(0, -1)}000Z`;

/** Undefined for what is no time. */
export const fromMicroTime = (text: string | undefined): number | undefined => {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
};
