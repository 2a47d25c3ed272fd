// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {encodeJson} from '../codec/encode.ts';
import {kubeTypes} from '../gen/kube-types.ts';
import {SAMPLE_KINDS} from '../testing/sample-kinds.ts';
import {aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList, apiVersions} from './discovery.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

test('the roots', () => {
  expect(apiVersions(SAMPLE_KINDS, 'host:1')).toEqual({
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{clientCIDR: '0.0.0.0/0', serverAddress: 'host:1'}],
  });
  const groups = apiGroupList(SAMPLE_KINDS)['groups'] as {name: string}[];
  expect(groups.map(g => g.name)).toEqual(['authorization.k8s.io', 'rbac.authorization.k8s.io', 'discovery.k8s.io']);
  expect(apiGroup(SAMPLE_KINDS, 'discovery.k8s.io')).toEqual({
    kind: 'APIGroup',
    apiVersion: 'v1',
    name: 'discovery.k8s.io',
    versions: [{groupVersion: 'discovery.k8s.io/v1', version: 'v1'}],
    preferredVersion: {groupVersion: 'discovery.k8s.io/v1', version: 'v1'},
  });
  expect(apiGroup(SAMPLE_KINDS, 'nope')).toBeUndefined();
  expect(apiGroup(SAMPLE_KINDS, '')).toBeUndefined();
});

test('resources of the core group, with subresources and a digest for what is stored', () => {
  const list = apiResourceList(SAMPLE_KINDS, {group: '', version: 'v1'}, key => `#${key}`);
  expect(encodeJson(kubeTypes, `${META}.APIResourceList`, list ?? {})).toMatchInlineSnapshot(
    `"{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"endpoints","singularName":"endpoints","namespaced":true,"kind":"Endpoints","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["ep"],"storageVersionHash":"#/v1/Endpoints"},{"name":"namespaces","singularName":"namespace","namespaced":false,"kind":"Namespace","verbs":["create","delete","get","list","patch","update","watch"],"shortNames":["ns"],"storageVersionHash":"#/v1/Namespace"},{"name":"namespaces/finalize","singularName":"","namespaced":false,"kind":"Namespace","verbs":["update"]},{"name":"namespaces/status","singularName":"","namespaced":false,"kind":"Namespace","verbs":["get","patch","update"]}]}"`,
  );
});

test('resources of a named group; what is only created has no digest', () => {
  const list = apiResourceList(SAMPLE_KINDS, {group: 'authorization.k8s.io', version: 'v1'}, () => 'x');
  expect(list).toEqual({
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: 'authorization.k8s.io/v1',
    resources: [
      {
        name: 'selfsubjectaccessreviews',
        singularName: 'selfsubjectaccessreview',
        namespaced: false,
        kind: 'SelfSubjectAccessReview',
        verbs: ['create'],
      },
    ],
  });
  expect(apiResourceList(SAMPLE_KINDS, {group: '', version: 'v2'}, () => 'x')).toBeUndefined();
});

test('aggregated: kinds of the core group at /api, the others at /apis', () => {
  const core = aggregatedDiscovery(SAMPLE_KINDS, 'api');
  expect(encodeJson(kubeTypes, 'io.k8s.api.apidiscovery.v2.APIGroupDiscoveryList', core)).toMatchInlineSnapshot(
    `"{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{},"versions":[{"version":"v1","resources":[{"resource":"endpoints","responseKind":{"group":"","version":"","kind":"Endpoints"},"scope":"Namespaced","singularResource":"endpoints","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["ep"]},{"resource":"namespaces","responseKind":{"group":"","version":"","kind":"Namespace"},"scope":"Cluster","singularResource":"namespace","verbs":["create","delete","get","list","patch","update","watch"],"shortNames":["ns"],"subresources":[{"subresource":"finalize","responseKind":{"group":"","version":"","kind":"Namespace"},"verbs":["update"]},{"subresource":"status","responseKind":{"group":"","version":"","kind":"Namespace"},"verbs":["get","patch","update"]}]}],"freshness":"Current"}]}]}"`,
  );
  const named = aggregatedDiscovery(SAMPLE_KINDS, 'apis')['items'] as {metadata: {name: string}}[];
  expect(named.map(item => item.metadata.name)).toEqual([
    'authorization.k8s.io',
    'rbac.authorization.k8s.io',
    'discovery.k8s.io',
  ]);
});
