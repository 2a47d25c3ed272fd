// SPDX-License-Identifier: Apache-2.0
/** The kubeconfig that `serve` leaves in its data folder, so that kubectl and the SDKs find the server. */

import {replaceFile} from '../process/replace-file.ts';
import type {ServeConfig} from './config.ts';

type Reached = {
  /** URL of the server. */
  readonly server: string;
  /** PEM of the certificate authority that clients are to trust. */
  readonly ca: string | undefined;
  readonly auth: ServeConfig['auth'];
  /** PEM: the client certificate that the user shows. */
  readonly client?: {readonly cert: string; readonly key: string} | undefined;
  /** The bearer token that the user sends. */
  readonly token?: string | undefined;
  /** Name of the user. Default: that of the cluster. */
  readonly user?: string | undefined;
};

/** With `--auth none` nobody looks at the token, but over TLS kubectl asks for a user name where it has none. */
const userOf = ({auth, client, token = auth === 'none' ? 'any' : undefined}: Reached): readonly string[] =>
  client === undefined
    ? [`  user: ${token === undefined ? '{}' : `{token: ${token === 'any' ? token : JSON.stringify(token)}}`}`]
    : [
        '  user:',
        `    client-certificate-data: ${Buffer.from(client.cert).toString('base64')}`,
        `    client-key-data: ${Buffer.from(client.key).toString('base64')}`,
      ];

export const renderKubeconfig = (reached: Reached): string => {
  const {server, ca, user = 'palisade'} = reached;
  const name = user === 'palisade' ? user : JSON.stringify(user);
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- name: palisade',
    '  cluster:',
    `    server: ${server}`,
    // Without TLS there is no certificate to look at; @kubernetes/client-node takes no other way for a consent to that.
    ...(server.startsWith('https:') ? [] : ['    insecure-skip-tls-verify: true']),
    ...(ca === undefined ? [] : [`    certificate-authority-data: ${Buffer.from(ca).toString('base64')}`]),
    'users:',
    `- name: ${name}`,
    ...userOf(reached),
    'contexts:',
    '- name: palisade',
    `  context: {cluster: palisade, user: ${name}, namespace: default}`,
    'current-context: palisade',
    '',
  ].join('\n');
};

export const writeKubeconfig = (path: string, reached: Reached): Promise<void> =>
  replaceFile(path, renderKubeconfig(reached), 0o600);
