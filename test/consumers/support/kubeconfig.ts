// SPDX-License-Identifier: Apache-2.0
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {ADMIN_TOKEN, type SecuredServer} from '../../e2e/support/secured-server.ts';

/** Writes the configuration of the administrator of a server into a folder, and gives its path. */
export const writeKubeconfig = (dir: string, {url, caFile}: Pick<SecuredServer, 'url' | 'caFile'>): string => {
  const file = join(dir, 'admin.kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{name: 'c', cluster: {server: url, 'certificate-authority': caFile}}],
    users: [{name: 'admin', user: {token: ADMIN_TOKEN}}],
    contexts: [{name: 'admin', context: {cluster: 'c', user: 'admin'}}],
    'current-context': 'admin',
  };
  writeFileSync(file, JSON.stringify(config), {mode: 0o600});
  return file;
};
