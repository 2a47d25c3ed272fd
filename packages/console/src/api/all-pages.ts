// SPDX-License-Identifier: Apache-2.0
/** All items of a list that the IDS API sends in pages. */
export async function allPages<P extends {readonly nextPageToken?: string}, T>(
  read: (pageToken: string | undefined) => Promise<P>,
  items: (page: P) => readonly T[] | undefined,
): Promise<readonly T[]> {
  const all: T[] = [];
  let pageToken: string | undefined;
  do {
    const page = await read(pageToken);
    all.push(...(items(page) ?? []));
    pageToken = page.nextPageToken === '' ? undefined : page.nextPageToken;
  } while (pageToken !== undefined);
  return all;
}
