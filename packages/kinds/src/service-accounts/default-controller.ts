// SPDX-License-Identifier: Apache-2.0
/**
 * Each namespace has a service account `default`; one that is deleted comes back, but for namespaces that are being deleted.
 * Level-triggered: a round looks at one namespace and makes what is missing.
 * Ref: kubernetes v1.36 pkg/controller/serviceaccount/serviceaccounts_controller.go.
 */
import {
  type CachedObject,
  type Controller,
  type ControllerFactory,
  type ControllerHost,
  createObject,
  decodeItem,
  type KindDefinition,
  trackFields,
  WorkQueue,
} from '@palisade/apiserver';
import {servedKind} from '../served-kind.ts';

const NAME = 'default';
const WRITES_IN_FLIGHT = 16;

export const defaultServiceAccounts: ControllerFactory = host => new DefaultServiceAccounts(host);

class DefaultServiceAccounts implements Controller {
  readonly #host: ControllerHost;
  readonly #namespaces: KindDefinition;
  readonly #accounts: KindDefinition;
  readonly #queue: WorkQueue<{readonly key: string}>;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(host: ControllerHost) {
    const {namespaces, timers} = host.services;
    if (namespaces === undefined) throw new Error('default service accounts need the kind Namespace');
    this.#host = host;
    this.#namespaces = namespaces;
    this.#accounts = servedKind(host, 'default service accounts', '', 'serviceaccounts');
    this.#queue = new WorkQueue({
      timers,
      log: host.log,
      name: 'service account creation',
      counts: host.services.queues.open('serviceaccount'),
      concurrency: WRITES_IN_FLIGHT,
      work: ({key}) => this.#makeIn(key),
    });
  }

  start(): void {
    const {registryOf} = this.#host.services;
    const namespaces = registryOf(this.#namespaces).cache;
    this.#unsubscribe.push(
      namespaces.onEvent(({type, object}) => {
        if (type !== 'DELETED') this.#consider(object.name);
      }),
      registryOf(this.#accounts).cache.onEvent(({type, object}) => {
        if (type === 'DELETED' && object.name === NAME) this.#consider(object.namespace);
      }),
    );
    for (const slice of namespaces.objects.slices('')) for (const {name} of slice) this.#consider(name);
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#queue.stop();
  }

  #consider(namespace: string): void {
    if (this.#lacksAccount(namespace)) this.#queue.add({key: namespace});
  }

  #lacksAccount(namespace: string): boolean {
    const {registryOf} = this.#host.services;
    const found = registryOf(this.#namespaces).get('', namespace);
    return found !== undefined && isActive(found) && registryOf(this.#accounts).get(namespace, NAME) === undefined;
  }

  /** A failure does not count when somebody else was quicker, or the namespace has begun to go. */
  async #makeIn(namespace: string): Promise<void> {
    if (!this.#lacksAccount(namespace)) return;
    const context = this.#host.contextFor(this.#accounts, namespace);
    const {server} = context.services.compat.managers;
    const draft = trackFields(context, server, undefined, {metadata: {name: NAME, namespace}}, undefined);
    try {
      await createObject(context, draft, {dryRun: false});
    } catch (error) {
      if (this.#lacksAccount(namespace)) throw error;
    }
  }
}

const isActive = (namespace: CachedObject): boolean =>
  !namespace.isDeleting && (decodeItem(namespace) as {status?: {phase?: string}}).status?.phase === 'Active';
