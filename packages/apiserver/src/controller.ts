// SPDX-License-Identifier: Apache-2.0
import type {KubeApi} from './kube-api.ts';

/** A loop beside the API: garbage collector, namespace deletion, timers. */
export interface Controller {
  start(): void | Promise<void>;
  /** Resolves when nothing of it runs any longer. */
  stop(): void | Promise<void>;
}

export type ControllerFactory = (api: KubeApi) => Controller;
