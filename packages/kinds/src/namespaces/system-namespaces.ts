// SPDX-License-Identifier: Apache-2.0
/**
 * The namespaces that every server has. They are made at the start, and one that can be deleted (`kube-node-lease`) comes back
 * a minute later; upstream looks every minute. Ref: kubernetes v1.36 pkg/controlplane/controller/systemnamespaces.
 */
import {
  type Controller,
  type ControllerFactory,
  type ControllerHost,
  createObject,
  type RequestContext,
  StatusError,
  trackFields,
} from '@palisade/apiserver';
import {NAME_LABEL, SYSTEM_NAMESPACES} from './types.ts';

const RETURN_MS = 60_000;

/** Makes those that are missing. */
export const makeSystemNamespaces = async (context: RequestContext): Promise<void> => {
  const {server} = context.services.compat.managers;
  for (const name of SYSTEM_NAMESPACES) {
    if (context.registry.get('', name) !== undefined) continue;
    const namespace = {metadata: {name, labels: {[NAME_LABEL]: name}}};
    try {
      await createObject(context, trackFields(context, server, undefined, namespace, undefined), {dryRun: false});
    } catch (error) {
      if (!(error instanceof StatusError && error.status.reason === 'AlreadyExists')) throw error; // a client was quicker
    }
  }
};

export const systemNamespaces: ControllerFactory = host => new SystemNamespaces(host);

class SystemNamespaces implements Controller {
  readonly #host: ControllerHost;
  #unsubscribe: (() => void) | undefined;
  #timer: {cancel(): void} | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(host: ControllerHost) {
    this.#host = host;
  }

  start(): void {
    const names: ReadonlySet<string> = new Set(SYSTEM_NAMESPACES);
    this.#unsubscribe = this.#context().registry.cache.onEvent(({type, object}) => {
      if (type === 'DELETED' && names.has(object.name)) this.#lookLater();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe?.();
    this.#timer?.cancel();
    await this.#running;
  }

  #context(): RequestContext {
    const {namespaces} = this.#host.services;
    if (namespaces === undefined) throw new Error('system namespaces need the kind Namespace');
    return this.#host.contextFor(namespaces, '');
  }

  #lookLater(): void {
    if (this.#stopped) return;
    this.#timer ??= this.#host.services.timers.after(RETURN_MS, () => {
      this.#timer = undefined;
      this.#running = makeSystemNamespaces(this.#context()).catch((error: unknown) => {
        this.#host.log.error({err: error}, 'system namespace creation failed, retrying in a minute');
        this.#lookLater();
      });
    });
  }
}
