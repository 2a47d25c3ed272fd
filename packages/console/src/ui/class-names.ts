// SPDX-License-Identifier: Apache-2.0
/** The names that are given, in one attribute. */
export const cx = (...names: readonly (string | false | undefined)[]): string => names.filter(Boolean).join(' ');
