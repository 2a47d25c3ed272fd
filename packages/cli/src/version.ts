// SPDX-License-Identifier: Apache-2.0
/** Version of the product; the same as package.json's (a test compares). */
export const VERSION = '0.1.0';
