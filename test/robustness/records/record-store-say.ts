// SPDX-License-Identifier: Apache-2.0
/** What the writing child of record-store-power-loss.test.ts and the test share. */
export const RECORDS_OF_A_BATCH = 50;
