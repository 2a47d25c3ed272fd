// SPDX-License-Identifier: Apache-2.0
/** How others learn that the server is up and where: the ready line, the kubeconfig, the address file. */
import {ownMark} from '@palisade/engine/process-mark';
import type {ServeConfig} from '../parts/config.ts';
import {writeKubeconfig} from '../parts/kubeconfig.ts';
import {formatAddress, urlOf} from '../port/addresses.ts';
import type {DataFolder} from '../process/data-folder.ts';
import {authorityFile} from '../process/data-folder.ts';
import {removeServerFile, writeServerFile} from '../process/server-file.ts';
import type {Closers} from './closers.ts';
import type {Open} from './open-listeners.ts';

export type Ready = {
  readonly ready: true;
  readonly pid: number;
  /** At least one of `http` and `https` is there. */
  readonly http?: string;
  readonly https?: string;
  readonly grpc?: string;
  /** Where a browser finds the console; absent: it is switched off. */
  readonly console?: string;
  readonly kubeconfig: string;
};

type Urls = {readonly http?: string; readonly https?: string};

const urlsOf = ({http, https}: Pick<Open, 'http' | 'https'>): Urls => ({
  ...(http === undefined ? {} : {http: urlOf(http.address, 'http')}),
  ...(https === undefined ? {} : {https: urlOf(https.address, 'https')}),
});

/** Where clients reach it: with TLS, if there is any. */
export const publicUrlOf = (open: Pick<Open, 'http' | 'https'>): string => {
  const {http, https} = urlsOf(open);
  return https ?? http ?? '';
};

/** Writes the kubeconfig and the address file; the value is the ready line. */
export async function announce(
  {auth, tls, console}: ServeConfig,
  open: Open,
  folder: DataFolder,
  closers: Closers,
): Promise<Ready> {
  const urls = urlsOf(open);
  const {ca: authority, admin: client} = open.pem ?? {};
  await writeKubeconfig(folder.kubeconfig, {server: publicUrlOf(open), ca: authority, auth, client});
  const ca = open.https === undefined || tls !== undefined ? {} : {ca: authorityFile(folder.dir)};
  await writeServerFile(folder.dir, {...urls, ...ca, pid: process.pid, process: ownMark()});
  closers.add('address file', () => removeServerFile(folder.dir));
  return {
    ready: true,
    pid: process.pid,
    ...urls,
    ...(open.grpc === undefined ? {} : {grpc: formatAddress(open.grpc.address)}),
    ...(console ? {console: `${urls.http ?? publicUrlOf(open)}/console/`} : {}),
    kubeconfig: folder.kubeconfig,
  };
}
