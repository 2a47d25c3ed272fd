// SPDX-License-Identifier: Apache-2.0
/**
 * Cluster roles of this product, which upstream does not have. Those of the IDS side are the roles of Cloud IDS (ids.admin, ids.editor,
 * ids.viewer), and one for people who work on alerts; the namespace is the project.
 *
 * I1 nothing here lets `edit` write Endpoints, not even through an EndpointGroup: it could send the traffic of a Service to any address.
 *    Ref: CVE-2021-25740; kubernetes v1.36 bootstrappolicy/policy.go (editRules).
 */
import {AGGREGATE_TO_EDIT, AGGREGATE_TO_VIEW, type BootstrapRole, on, READ, READ_WRITE, urls} from './policy-rules.ts';
import {RBAC_GROUP} from './types.ts';

const PLATFORM = 'platform.io';
const LEASES = 'coordination.k8s.io';
const IDS = 'ids.googleapis.com';
const IDS_READ = ['get', 'list'];
const GROUPS = 'endpointgroups endpointregistrations';
const GROUP_STATUS = 'endpointgroups/status endpointregistrations/status';

const idsViewerRules = [
  on(IDS, 'endpoints endpoints/threats endpoints/traffic forwardingrules locations operations rules', IDS_READ),
];

export const PRODUCT_ROLES: readonly BootstrapRole[] = [
  {name: 'palisade:endpoints-editor', rules: [on('', 'endpoints', READ_WRITE), on('', 'namespaces', READ)]},
  {
    name: 'palisade:endpointgroups-viewer',
    labels: AGGREGATE_TO_VIEW,
    rules: [on(PLATFORM, `${GROUPS} ${GROUP_STATUS}`, READ)],
  },
  {
    name: 'palisade:endpointgroups-editor',
    rules: [
      on(PLATFORM, GROUPS, READ_WRITE),
      on(PLATFORM, 'endpointregistrations', ['manage']), // those of other users
      on(PLATFORM, GROUP_STATUS, READ),
      on(LEASES, 'leases', ['create', 'get', 'list', 'patch', 'update', 'watch']), // what keeps a registration alive
      on('', 'endpoints namespaces', READ),
      on('discovery.k8s.io', 'endpointslices', READ),
      on('|events.k8s.io', 'events', READ),
    ],
  },
  {
    // No more than `edit` can do already: it may impersonate the service accounts of its namespace, and create tokens for them.
    name: 'palisade:serviceaccountkeys-editor',
    labels: AGGREGATE_TO_EDIT,
    rules: [on(PLATFORM, 'serviceaccountkeys', ['create', 'delete', 'deletecollection', ...READ])],
  },
  {
    name: 'palisade:auditor',
    rules: [urls('/audit'), on(RBAC_GROUP, 'clusterrolebindings clusterroles rolebindings roles', READ)],
  },
  {name: 'ids-admin', rules: [on(IDS, '*', ['*'])]},
  {
    name: 'ids-editor',
    rules: [
      on(IDS, 'endpoints', ['create', 'delete', 'get', 'list', 'update']),
      on(IDS, 'operations', ['cancel', 'delete', 'get', 'list']),
      on(IDS, 'rules', ['get', 'list', 'update']),
      on(IDS, 'endpoints/threats', ['get', 'list', 'update']),
      on(IDS, 'endpoints/evidence endpoints/traffic forwardingrules locations', IDS_READ),
    ],
  },
  {name: 'ids-viewer', rules: idsViewerRules},
  {
    name: 'ids-analyst',
    rules: [...idsViewerRules, on(IDS, 'endpoints/evidence', IDS_READ), on(IDS, 'endpoints/threats', ['update'])],
  },
];
