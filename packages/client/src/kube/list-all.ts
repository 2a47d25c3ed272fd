// SPDX-License-Identifier: Apache-2.0
import type {ListOptions, ResourceClient} from './kube-client.ts';
import type {KubeObject} from './objects.ts';

const PAGE = 500;

/** The objects of a list, page by page. `namespace` '': of all namespaces, or of a kind without them. */
export async function* listAll<T extends KubeObject>(
  objects: Pick<ResourceClient<T>, 'list'>,
  namespace: string,
  options: Omit<ListOptions, 'limit' | 'continue'> = {},
): AsyncGenerator<T> {
  for (let token = ''; ; ) {
    const page = await objects.list(namespace, {...options, limit: PAGE, ...(token === '' ? {} : {continue: token})});
    const items = page.items as T[] | null; // Go writes an empty list so
    yield* items ?? [];
    token = page.metadata?.continue ?? '';
    if (token === '') return;
  }
}
