// SPDX-License-Identifier: Apache-2.0
/** The server that KUBECONFIG leads to. */
import {readFileSync} from 'node:fs';
import {delimiter} from 'node:path';
import {
  type Connection,
  isOwnTarget,
  KubeconfigError,
  type KubeTarget,
  readKubeconfig,
  readKubeconfigFiles,
} from '@palisade/client';
import {type CliIo, CommandError} from '../command-line/io.ts';
import {type Credential, kubeconfigCredential} from './credential.ts';

/** What the flags say about the connection, except its address. */
export type Overrides = {readonly token?: string; readonly ca?: string; readonly insecure?: true};

/** `namespace` is that of the context; '' where it names none. `source`: who named the server. */
export type Found = {
  readonly connection: Connection;
  readonly credential: Credential;
  readonly namespace: string;
  readonly source: string;
};

const targetOf = (paths: readonly string[], overrides: Overrides): KubeTarget => {
  const readFile = (path: string): string => readFileSync(path, 'utf8');
  return readKubeconfig(readKubeconfigFiles(paths, readFile), {readFile, ...overrides});
};

const pathsIn = (env: CliIo['env']): string[] => (env['KUBECONFIG'] ?? '').split(delimiter).filter(path => path !== '');

const foundAt = (target: KubeTarget, {token}: Overrides): Found => {
  const {connection, user, namespace} = target;
  return {connection, credential: kubeconfigCredential(token, user, connection), namespace, source: 'KUBECONFIG'};
};

/** Undefined: no kubeconfig is named. What `overrides` says goes before what it says. Throws CommandError. */
export const fromKubeconfig = (env: CliIo['env'], overrides: Overrides): Found | undefined => {
  const paths = pathsIn(env);
  if (paths.length === 0) return undefined;
  try {
    return foundAt(targetOf(paths, overrides), overrides);
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    throw new CommandError(`KUBECONFIG: ${error.message}`, {cause: error});
  }
};

/** The same where a Palisade server wrote it, with a credential. Any other one, whatever its faults, is for Kubernetes objects only. */
export const fromOwnKubeconfig = (env: CliIo['env'], overrides: Overrides): Found | undefined => {
  const paths = pathsIn(env);
  if (paths.length === 0) return undefined;
  try {
    const target = targetOf(paths, overrides);
    return isOwnTarget(target) ? foundAt(target, overrides) : undefined;
  } catch (error) {
    if (error instanceof KubeconfigError) return undefined;
    throw error;
  }
};

/** The kubeconfig of a data folder, if its server signs in with a client certificate that can be read. */
export const localCertificate = (path: string): Connection | undefined => {
  try {
    const {connection} = targetOf([path], {});
    return connection.tls?.cert === undefined ? undefined : connection;
  } catch (error) {
    if (error instanceof KubeconfigError) return undefined;
    throw error;
  }
};
