// SPDX-License-Identifier: Apache-2.0
/** A server for the Cloud IDS API with real sensors, REST and gRPC on one port, no credentials. */
import {join} from 'node:path';
import {type RunningServer, serve} from '../../support/palisade.ts';
import {which} from './toolchain.ts';

/** Why no endpoint can become READY here; undefined: it can. */
export const whyNoSuricata = (): string | undefined =>
  which('suricata') === undefined ? 'suricata is not on PATH' : undefined;

/**
 * The relay driver needs no privilege and makes no device. Each suite has a pool of its own in 127.0.0.0/8, so that the UDP sockets of
 * servers that run beside each other do not meet; nothing is sent to them here.
 */
export const startIds = async (dir: string, pool: string): Promise<RunningServer & {readonly address: string}> => {
  const flags = ['--data', join(dir, 'data'), '--auth', 'none', '--apis', 'ids', '--log-level', 'warn'];
  const sensors = ['--driver', 'relay', '--endpoint-pool', pool];
  const server = await serve([...flags, ...sensors, '--http', '127.0.0.1:0', '--grpc', '127.0.0.1:0']);
  return {...server, address: server.ready.grpc ?? ''};
};
