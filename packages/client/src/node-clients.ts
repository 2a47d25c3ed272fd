// SPDX-License-Identifier: Apache-2.0
/** Both clients over the transport of Node. */
import type {Connection} from './http/contract.ts';
import {createTransport, type TransportOptions} from './http/transport.ts';
import {type IdsClient, idsClientOver} from './ids/ids-client.ts';
import {type KubeClient, kubeClientOver} from './kube/kube-client.ts';

export type KubeClientOptions = Partial<TransportOptions>;
export type IdsClientOptions = Partial<TransportOptions>;

const transportOf = (connection: Connection, {userAgent = 'palisade-client', ...rest}: Partial<TransportOptions>) =>
  createTransport(connection, {userAgent, ...rest});

export const createKubeClient = (connection: Connection, options: KubeClientOptions = {}): KubeClient =>
  kubeClientOver(transportOf(connection, options), connection.server);

export const createIdsClient = (connection: Connection, options: IdsClientOptions = {}): IdsClient =>
  idsClientOver(transportOf(connection, options), connection.server);
