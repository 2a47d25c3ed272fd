// SPDX-License-Identifier: Apache-2.0
/**
 * The package `platform`: Endpoints with its seven supporting types (requirements E.1 to E.10), and kinds of the server, whose types
 * are made from their structs (`gen/platform-types.ts`).
 */
import {PLATFORM_TYPES} from '../gen/platform-types.ts';
import type {KubeKind} from '../resources/kube/kube-kind.ts';
import {KUBE_KINDS} from '../resources/kube-kinds.ts';
import {
  type FunctionDescription,
  PACKAGE_VERSION,
  type PackageDescription,
  type Properties,
  type PropertyDescription,
  type ResourceDescription,
  type TypeDescription,
} from './package-description.ts';

const string: TypeDescription = {kind: 'string'};
const integer: TypeDescription = {kind: 'integer'};
const boolean: TypeDescription = {kind: 'boolean'};
const ref = (to: string): TypeDescription => ({kind: 'ref', to});
const list = (of: TypeDescription): TypeDescription => ({kind: 'list', of});
const strings: TypeDescription = {kind: 'map', of: string};

const OBJECT_META: Properties = {
  annotations: {
    type: strings,
    doc: 'Unstructured key-value data set by external tools. It cannot be queried and survives modification of the object.',
  },
  clusterName: {
    type: string,
    readOnly: true,
    doc: 'Name of the cluster that the object belongs to. The server ignores it when it is set on create or update.',
  },
  creationTimestamp: {
    type: string,
    readOnly: true,
    doc: 'Server time of creation (RFC 3339, UTC). Set by the system, read-only, null for lists. Not ordered across separate operations.',
  },
  deletionGracePeriodSeconds: {
    type: integer,
    readOnly: true,
    doc: 'Seconds granted for graceful termination. Present only together with `deletionTimestamp`; may only be shortened; read-only.',
  },
  deletionTimestamp: {
    type: string,
    readOnly: true,
    doc: 'RFC 3339 time after which the object is expected to be gone. Set by the server when graceful deletion is requested; read-only; absent otherwise.',
  },
  finalizers: {
    type: list(string),
    doc: 'Components that must finish before the object is removed; the list has to be empty first. Once deletion has started, entries can only be taken away. The order of processing is not enforced.',
  },
  generateName: {
    type: string,
    doc: 'Prefix from which the server makes a unique name when `name` is not given. A suffix is appended, and the prefix may be shortened to fit. Ignored when `name` is given.',
  },
  generation: {
    type: integer,
    readOnly: true,
    doc: 'Sequence number of the desired state. Set by the system; read-only.',
  },
  labels: {type: strings, doc: 'Keys and values that organise, categorise, scope and select objects.'},
  managedFields: {
    type: list(ref('meta/v1:ManagedFieldsEntry')),
    readOnly: true,
    doc: 'Which workflow and version manages which fields. Internal housekeeping, kept by the server.',
  },
  name: {
    type: string,
    replaces: true,
    doc: 'Name, unique within the namespace. Cannot be changed: another name replaces the object. Without `name` and `generateName` one is made from the resource name.',
  },
  namespace: {
    type: string,
    replaces: true,
    doc: 'Space in which the name is unique; a DNS_LABEL. Empty means `default`. Cannot be changed: another namespace replaces the object.',
  },
  ownerReferences: {
    type: list(ref('meta/v1:OwnerReference')),
    doc: 'Objects that this object depends on; once all of them are deleted, it is garbage collected. At most one entry may be the managing controller.',
  },
  resourceVersion: {
    type: string,
    readOnly: true,
    doc: 'Opaque marker of the stored version, for concurrency control, change detection and watching. Set by the system; read-only.',
  },
  selfLink: {
    type: string,
    readOnly: true,
    deprecated: 'selfLink is no longer populated.',
    doc: 'Legacy read-only field that is no longer filled.',
  },
  uid: {
    type: string,
    readOnly: true,
    doc: 'Identifier, unique in time and space. Set by the system on creation; read-only.',
  },
};

const MANAGED_FIELDS_ENTRY: Properties = {
  apiVersion: {
    type: string,
    doc: 'Version of the resource that the field set applies to, as `group/version`. A field set cannot be converted automatically.',
  },
  fieldsType: {
    type: {kind: 'enum', to: 'meta/v1:FieldsType', open: true},
    doc: 'Format of the field set. The only value is `FieldsV1`.',
  },
  fieldsV1: {type: {kind: 'json'}, doc: 'The field set in FieldsV1 format.'},
  manager: {type: string, doc: 'Identifier of the managing workflow.'},
  operation: {
    type: {kind: 'enum', to: 'meta/v1:ManagedFieldsOperation', open: true},
    doc: 'Operation that created the entry: `Apply` or `Update`.',
  },
  subresource: {
    type: string,
    doc: 'Subresource used for the update, or empty for the main resource. Separates managers that share a name. Unrelated to `apiVersion`.',
  },
  time: {
    type: string,
    doc: 'When the entry was added, or last changed by its manager. Not updated when another manager takes a field over.',
  },
};

const OBJECT_REFERENCE: Properties = {
  apiVersion: {type: string, doc: 'API version of the object referred to.'},
  fieldPath: {
    type: string,
    doc: 'Part of the object that is meant, as a JSON or Go field access expression such as `spec.containers{name}` or `spec.containers[2]`.',
  },
  kind: {type: string, doc: 'Kind of the object referred to.'},
  name: {type: string, doc: 'Name of the object referred to.'},
  namespace: {type: string, doc: 'Namespace of the object referred to.'},
  resourceVersion: {type: string, doc: 'The exact resource version that is meant, if any.'},
  uid: {type: string, doc: 'UID of the object referred to.'},
};

const OWNER_REFERENCE: Properties = {
  apiVersion: {type: string, doc: 'API version of the owner.'},
  blockOwnerDeletion: {
    type: boolean,
    keepsEmpty: true,
    doc: 'When true and the owner carries the `foregroundDeletion` finalizer, the owner cannot be removed from the store until this reference is gone. Needs `delete` permission on the owner, otherwise status 422 is returned. Defaults to false.',
  },
  controller: {type: boolean, keepsEmpty: true, doc: 'When true, this owner is the managing controller.'},
  kind: {type: string, doc: 'Kind of the owner.'},
  name: {type: string, doc: 'Name of the owner.'},
  uid: {type: string, doc: 'UID of the owner.'},
};

const ENDPOINT_ADDRESS: Properties = {
  hostname: {type: string, doc: 'Host name of the endpoint, a DNS label.'},
  ip: {
    type: string,
    doc: 'IP address of the endpoint. Loopback (127.0.0.0/8, ::1), link-local (169.254.0.0/16, fe80::/10) and link-local multicast (224.0.0.0/24, ff02::/16) addresses are refused.',
  },
  nodeName: {
    type: string,
    doc: 'Name of the node that hosts the endpoint. Makes it possible to find the endpoints local to a node.',
  },
  targetRef: {type: ref('core/v1:ObjectReference'), keepsEmpty: true, doc: 'The object that provides the endpoint.'},
};

const ENDPOINT_PORT: Properties = {
  appProtocol: {
    type: string,
    doc: 'Application protocol, a hint for implementations. An unprefixed name is an IANA service name (RFC 6335); the platform defines `platform.io/h2c` (cleartext HTTP/2 with prior knowledge), `platform.io/ws` and `platform.io/wss` (WebSocket over cleartext and over TLS); any other protocol uses `<domain>/<protocol-name>`.',
  },
  name: {
    type: string,
    doc: 'Port name, a DNS_LABEL equal to the `name` of the matching service port. May be left out only when the subset defines exactly one port.',
  },
  port: {type: integer, doc: 'Port number, 1 to 65535.'},
  protocol: {
    type: {kind: 'enum', to: 'core/v1:Protocol', open: true},
    default: 'TCP',
    doc: 'IP protocol of the port: `UDP`, `TCP` or `SCTP`. Defaults to `TCP`.',
  },
};

const ENDPOINT_SUBSET: Properties = {
  addresses: {
    type: list(ref('core/v1:EndpointAddress')),
    doc: 'Addresses whose ports are marked ready. Clients and load balancers may use them safely.',
  },
  notReadyAddresses: {
    type: list(ref('core/v1:EndpointAddress')),
    doc: 'Addresses whose ports are not marked ready, because they have not finished starting or because a readiness or liveness check failed recently. An address must not be listed here and under `addresses` of the same subset.',
  },
  ports: {type: list(ref('core/v1:EndpointPort')), doc: 'Ports offered by all addresses of this subset.'},
};

const OBJECT_METADATA: PropertyDescription = {type: ref('meta/v1:ObjectMeta'), doc: 'Standard object metadata.'};
const OBJECT_ID: PropertyDescription = {
  type: string,
  doc: 'Id of the object, as import and `get` take it: `<namespace>/<name>`.',
};
/** Arguments of look-ups. */
const OBJECT_NAME: Properties = {
  name: {type: string, required: true, doc: 'Name of the object.'},
  namespace: {type: string, doc: 'Namespace of the object; `default` when not given.'},
};

/** Every input is an output, too. */
const toResource = ({doc, content, outputs}: KubeKind): ResourceDescription => ({
  doc,
  inputs: {metadata: OBJECT_METADATA, [content.key]: {type: content.type, doc: content.doc}},
  outputs,
});

const toLookUp = ({lookUp, content, outputs}: KubeKind): FunctionDescription => ({
  doc: lookUp.doc,
  inputs: OBJECT_NAME,
  outputs: {
    id: OBJECT_ID,
    metadata: OBJECT_METADATA,
    [content.key]: {type: content.type, doc: `${content.doc} Empty if the object has none.`},
    ...outputs,
  },
});

/** Ref: requirements E.1, E.2. */
export const PLATFORM: PackageDescription = {
  name: 'platform',
  version: PACKAGE_VERSION,
  displayName: 'Palisade Platform',
  doc: 'Declares the network endpoints that implement a service, on Palisade or on any Kubernetes API server, and groups of them with health checks, on Palisade.',
  npmName: '@palisade/platform',
  pythonName: 'palisade_platform',
  config: {
    context: {type: string, doc: 'Context of the kubeconfig; its current context when not set.'},
    kubeconfig: {
      type: string,
      secret: true,
      doc: 'Kubeconfig of the API server: the path of a file or its content. Environment: `KUBECONFIG`.',
    },
    server: {
      type: string,
      doc: 'Address of the API server, such as `http://127.0.0.1:8080`, instead of a kubeconfig. Environment: `PALISADE_SERVER`.',
    },
    token: {
      type: string,
      secret: true,
      doc: 'Bearer token to use instead of the credentials of the kubeconfig. Environment: `PALISADE_TOKEN`, unless a kubeconfig is used.',
    },
  },
  types: {
    'core/v1:EndpointAddress': {
      doc: 'One IP address that serves the ports of its subset.',
      properties: ENDPOINT_ADDRESS,
    },
    'core/v1:EndpointPort': {doc: 'One port offered by the addresses of a subset.', properties: ENDPOINT_PORT},
    'core/v1:EndpointSubset': {
      doc: 'A group of addresses paired with a group of ports. Every address in the group offers every port in the group.',
      properties: ENDPOINT_SUBSET,
    },
    'core/v1:ObjectReference': {doc: 'Identifies another object, or a part of it.', properties: OBJECT_REFERENCE},
    'meta/v1:ManagedFieldsEntry': {
      doc: 'The fields that one workflow manages at one version.',
      properties: MANAGED_FIELDS_ENTRY,
    },
    'meta/v1:ObjectMeta': {doc: 'Standard metadata of an object.', properties: OBJECT_META},
    'meta/v1:OwnerReference': {doc: 'Identifies an object that owns this one.', properties: OWNER_REFERENCE},
    ...PLATFORM_TYPES,
  },
  enums: {
    'core/v1:Protocol': {
      doc: 'IP protocols that a port may use.',
      values: [
        {name: 'UDP', value: 'UDP', doc: 'User Datagram Protocol.'},
        {name: 'TCP', value: 'TCP', doc: 'Transmission Control Protocol.'},
        {name: 'SCTP', value: 'SCTP', doc: 'Stream Control Transmission Protocol.'},
      ],
    },
    'meta/v1:FieldsType': {
      doc: 'Formats of a managed field set.',
      values: [{name: 'FieldsV1', value: 'FieldsV1', doc: 'The FieldsV1 format.'}],
    },
    'meta/v1:ManagedFieldsOperation': {
      doc: 'Operations that create a managed fields entry.',
      values: [
        {name: 'Apply', value: 'Apply', doc: 'The entry was created by an apply.'},
        {name: 'Update', value: 'Update', doc: 'The entry was created by an update.'},
      ],
    },
  },
  resources: Object.fromEntries(KUBE_KINDS.map(kind => [kind.token, toResource(kind)])),
  functions: Object.fromEntries(KUBE_KINDS.map(kind => [kind.lookUp.token, toLookUp(kind)])),
};
