// SPDX-License-Identifier: Apache-2.0
/** The one place that reads the clock of the browser. */
export const wallClock = (): number => Date.now();
