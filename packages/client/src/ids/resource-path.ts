// SPDX-License-Identifier: Apache-2.0
/**
 * `projects/p/…` → `/v1/projects/p/…`, each segment encoded. Throws for `.` and `..`: a URL takes them for steps in its path, in any
 * spelling, so that a name out of an address would lead to another method.
 */
export const resourcePath = (name: string): string => {
  const segments = name.split('/');
  if (segments.some(segment => segment === '.' || segment === '..'))
    throw new Error(`${JSON.stringify(name)} is no resource name: "." and ".." are no parts of one`);
  return `/v1/${segments.map(encodeURIComponent).join('/')}`;
};
