// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {namespaceDeletion} from './deletion-controller.ts';
import {namespacesKind} from './kind.ts';
import {makeSystemNamespaces, systemNamespaces} from './system-namespaces.ts';

export const namespacesModule: KindModule = {
  kinds: [namespacesKind],
  controllers: [namespaceDeletion, systemNamespaces],
  bootstraps: [host => makeSystemNamespaces(host.contextFor(namespacesKind, ''))],
};
