// SPDX-License-Identifier: Apache-2.0
/** The kinds that package `platform` declares: a further one is a file beside this and its name here (docs/guides/add-a-resource.md). */
import {ENDPOINT_GROUP} from './endpoint-group.ts';
import {ENDPOINTS} from './endpoints.ts';
import type {KubeKind} from './kube/kube-kind.ts';

export const KUBE_KINDS: readonly KubeKind[] = [ENDPOINTS, ENDPOINT_GROUP];
