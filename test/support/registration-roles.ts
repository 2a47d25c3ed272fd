// SPDX-License-Identifier: Apache-2.0
import {readFileSync} from 'node:fs';
import {parseAllDocuments} from 'yaml';

const FILE = new URL('../../deploy/registration-roles.yaml', import.meta.url);
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

type Role = {readonly kind: string; readonly metadata: {readonly namespace: string}};

/** The objects of deploy/registration-roles.yaml, each with the path to create it at. */
export const registrationRoles = (): readonly {readonly path: string; readonly body: Role}[] =>
  parseAllDocuments(readFileSync(FILE, 'utf8')).map(document => {
    const body = document.toJS() as Role;
    const {kind, metadata} = body;
    const path = kind === 'ClusterRole' ? 'clusterroles' : `namespaces/${metadata.namespace}/rolebindings`;
    return {path: `${RBAC}/${path}`, body};
  });
