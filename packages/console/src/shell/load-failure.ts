// SPDX-License-Identifier: Apache-2.0
/** As Chrome, Firefox, Safari and the loader of Vite word it. */
const MISSING = /dynamically imported module|importing a module script failed|unable to preload/i;

/** Whether the code of a page could not be fetched; after an update of the server its files have other names. */
export const isCodeMissing = (error: unknown): boolean => error instanceof Error && MISSING.test(error.message);
