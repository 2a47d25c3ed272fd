// SPDX-License-Identifier: Apache-2.0
/**
 * Upstream's end-to-end tests (k8s.io/kubernetes 1.36.3, test/e2e) that need no node. Each of them passes on a real kube-apiserver with
 * its controller manager and no node.
 */

export type UpstreamArea = {
  readonly area: string;
  readonly tests: readonly string[];
  /** Tests that want a kind that is out of scope here, with that kind. */
  readonly needs?: Readonly<Record<string, string>>;
};

export const AREAS: readonly UpstreamArea[] = [
  {area: '[sig-network] Endpoints', tests: ['should test the lifecycle of an Endpoint']},
  {area: '[sig-network] EndpointSlice', tests: ['should support creating EndpointSlice API operations']},
  {
    area: '[sig-network] EndpointSliceMirroring',
    tests: ['should mirror a custom Endpoints resource through create update and delete'],
  },
  {area: '[sig-network] API Server', tests: ['should provide secure master service']},
  {
    area: '[sig-network] Services',
    tests: [
      'should check NodePort out-of-range',
      'should complete a service status lifecycle',
      'should delete a collection of services',
      'should find a service from listing all namespaces',
      'should prevent NodePort collisions',
    ],
  },
  {
    area: '[sig-api-machinery] Namespaces',
    tests: [
      'should apply a finalizer to a Namespace',
      'should apply an update to a Namespace',
      'should apply changes to a namespace status',
      'should ensure that all services are removed when a namespace is deleted',
      'should patch a Namespace',
    ],
  },
  {
    area: '[sig-api-machinery] Watchers',
    tests: [
      'should be able to restart watching from the last resource version observed by the previous watch',
      'should be able to start watching from a specific resource version',
      'should observe add, update, and delete watch notifications on configmaps',
      'should observe an object deletion if it stops meeting the requirements of the selector',
      'should receive events on concurrent watches in same order',
    ],
  },
  {
    area: '[sig-api-machinery] API Streaming (aka. WatchList)',
    tests: [
      'should be requested by informers when WatchListClient is enabled',
      'should be requested by metadatainformer when WatchListClient is enabled',
      "should NOT be requested by client-go's List method when WatchListClient is enabled",
      "should NOT be requested by dynamic client's List method when WatchListClient is enabled",
      "should NOT be requested by metadata client's List method when WatchListClient is enabled",
      'server supports sending resources in Table format',
      "reflector doesn't support receiving resources as Tables",
      "reflector using standard List doesn't support receiving resources as Tables",
    ],
  },
  {
    area: '[sig-api-machinery] Discovery',
    tests: ['should validate PreferredVersion for each APIGroup'],
    needs: {
      'should accurately determine present and missing resources': 'deployments',
      'should locate the groupVersion and a resource within each APIGroup':
        'deployments, jobs, ingresses, and resources of nine more groups',
    },
  },
  {
    area: '[sig-api-machinery] OpenAPIV3',
    tests: ['should round trip OpenAPI V3 for all built-in group versions'],
  },
  {
    area: '[sig-api-machinery] Server request timeout',
    tests: [
      'should return HTTP status code 400 if the user specifies an invalid timeout in the request URL',
      'the request should be served with a default timeout if the specified timeout in the request URL exceeds maximum allowed',
      'default timeout should be used if the specified timeout in the request URL is 0s',
    ],
  },
  {area: '[sig-api-machinery] server version', tests: ['should find the server version']},
  {
    area: '[sig-api-machinery] Servers with support for Table transformation',
    tests: ['should return a 406 for a backend which does not implement metadata'],
  },
  {area: '[sig-auth] SelfSubjectReview', tests: ['should support SelfSubjectReview API operations']},
  {area: '[sig-auth] SubjectReview', tests: ['should support SubjectReview API operations']},
  {
    area: '[sig-auth] ServiceAccounts',
    tests: ['should run through the lifecycle of a ServiceAccount', 'should update a ServiceAccount'],
    needs: {'should allow opting out of API token automount': 'pods'},
  },
  {
    area: '[sig-instrumentation] Events',
    tests: ['should delete a collection of events', 'should manage the lifecycle of an event'],
  },
  {
    area: '[sig-instrumentation] Events API',
    tests: [
      'should delete a collection of events',
      'should ensure that an event can be fetched, patched, deleted, and listed',
    ],
  },
  {
    area: '[sig-node] ConfigMap',
    tests: [
      'should fail to create ConfigMap with empty key',
      'should run through a ConfigMap lifecycle',
      'should update ConfigMap successfully',
    ],
  },
  {area: '[sig-storage] ConfigMap', tests: ['should be immutable if `immutable` field is set']},
  {
    area: '[sig-node] Secrets',
    tests: ['should fail to create secret due to empty secret key', 'should patch a secret'],
  },
  {area: '[sig-storage] Secrets', tests: ['should be immutable if `immutable` field is set']},
  {area: '[sig-node] Lease', tests: ['lease API should be available']},
];

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Matches the full name of a test; between the area and the test upstream puts tags such as `[Beta]`. For Go and for JavaScript. */
export const patternOf = (area: string, test: string): string =>
  String.raw`${escaped(area)} (\[[^\]]*\] )*${escaped(test)}($| )`;
