// SPDX-License-Identifier: Apache-2.0
/** `projects/p/…` → `/v1/projects/p/…`, each segment encoded. */
export const resourcePath = (name: string): string => `/v1/${name.split('/').map(encodeURIComponent).join('/')}`;
