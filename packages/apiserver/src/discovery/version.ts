// SPDX-License-Identifier: Apache-2.0
/** GET /version: what clients use to decide which features they may ask for. */
import {goJson, prettyJson} from '@palisade/kube-wire';
import type {DocumentRoute} from '../http/non-resource.ts';
import {checkReadRoute} from './read-route.ts';

/** The Kubernetes release whose behaviour is served. */
export const KUBERNETES_VERSION = {major: '1', minor: '36', gitVersion: 'v1.36.3'} as const;

/** In upstream's order. */
const BODY = {
  major: KUBERNETES_VERSION.major,
  minor: KUBERNETES_VERSION.minor,
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: KUBERNETES_VERSION.gitVersion,
  gitCommit: '',
  gitTreeState: 'archive',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: 'linux/amd64',
};

export const versionRoute: DocumentRoute = async ({info, method, request}, sendEncoded) => {
  if (info.path.replace(/\/+$/, '') !== '/version') return false;
  checkReadRoute({method, request}, ['application/json']);
  await sendEncoded({contentType: 'application/json', pieces: [Buffer.from(prettyJson(goJson(BODY)))]});
  return true;
};
