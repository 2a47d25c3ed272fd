// SPDX-License-Identifier: Apache-2.0
/** `make peers`: what tests and benches compare with, or send to. */
import {buildPeer} from './peers.ts';

const built = (['otelcol', 'etcd', 'kube-apiserver'] as const).map(buildPeer);
if (built.includes(undefined)) process.exitCode = 1;
