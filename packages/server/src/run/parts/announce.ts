// SPDX-License-Identifier: Apache-2.0
/** How others learn that the server is up and where: the ready line, the kubeconfig, the address file. */
import {ownMark} from '@palisade/engine/process-mark';
import {formatAddress, urlOf} from '../addresses.ts';
import type {ServeConfig} from '../config.ts';
import type {DataFolder} from '../data-folder.ts';
import {writeKubeconfig} from '../kubeconfig.ts';
import {removeServerFile, writeServerFile} from '../server-file.ts';
import type {Closers} from './closers.ts';
import type {Open} from './open-listeners.ts';

export type Ready = {
  readonly ready: true;
  readonly pid: number;
  readonly http: string;
  readonly https?: string;
  readonly grpc?: string;
  readonly kubeconfig: string;
};

/** Writes the kubeconfig and the address file; the value is the ready line. */
export async function announce({auth}: ServeConfig, open: Open, folder: DataFolder, closers: Closers): Promise<Ready> {
  const http = urlOf(open.http.address, 'http');
  const https = open.https === undefined ? undefined : urlOf(open.https.address, 'https');
  await writeKubeconfig(folder.kubeconfig, {server: https ?? http, ca: open.pem?.ca, auth});
  await writeServerFile(folder.dir, {
    http,
    ...(https === undefined ? {} : {https}),
    pid: process.pid,
    process: ownMark(),
  });
  closers.add('address file', () => removeServerFile(folder.dir));
  return {
    ready: true,
    pid: process.pid,
    http,
    ...(https === undefined ? {} : {https}),
    ...(open.grpc === undefined ? {} : {grpc: formatAddress(open.grpc.address)}),
    kubeconfig: folder.kubeconfig,
  };
}
