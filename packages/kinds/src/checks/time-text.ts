// SPDX-License-Identifier: Apache-2.0
/** metav1.MicroTime: six digits. */
export const toMicroTime = (epochMs: number): string => {
  if (epochMs !== last.epochMs) last = {epochMs, text: `${new Date(epochMs).toISOString().slice(0, -1)}000Z`};
  return last.text;
};

/** Results of one batch ask for the same one. */
let last = {epochMs: Number.NaN, text: ''};

/** Undefined for what is no time. */
export const fromMicroTime = (text: string | undefined): number | undefined => {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
};
