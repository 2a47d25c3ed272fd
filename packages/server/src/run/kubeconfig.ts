// SPDX-License-Identifier: Apache-2.0
/** The kubeconfig that `serve` leaves in its data folder, so that kubectl and the SDKs find the server. */
import {replaceFile} from './replace-file.ts';

const renderKubeconfig = (at: {
  readonly server: string;
  readonly ca: string | undefined;
  readonly token?: string | undefined;
}): string =>
  [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- name: palisade',
    '  cluster:',
    `    server: ${at.server}`,
    ...(at.ca === undefined ? [] : [`    certificate-authority-data: ${Buffer.from(at.ca).toString('base64')}`]),
    'users:',
    '- name: palisade',
    at.token === undefined ? '  user: {}' : `  user: {token: ${JSON.stringify(at.token)}}`,
    'contexts:',
    '- name: palisade',
    '  context: {cluster: palisade, user: palisade, namespace: default}',
    'current-context: palisade',
    '',
  ].join('\n');

export const writeKubeconfig = (path: string, server: string, ca: string | undefined): Promise<void> =>
  replaceFile(path, renderKubeconfig({server, ca}), 0o600);
