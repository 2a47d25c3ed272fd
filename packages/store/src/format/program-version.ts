// SPDX-License-Identifier: Apache-2.0
/** Version of the product; the same as package.json's (a test compares). In the lowest package, because every format names it. */
export const PROGRAM_VERSION = '0.1.0';
