// SPDX-License-Identifier: Apache-2.0
/**
 * Where our own specification words the types otherwise than upstream: what the default mode publishes. Field numbers,
 * names and types stay; only texts differ, and names that are accepted and dropped.
 */
import type {Field, StructType, TypeTable} from './schema.ts';

const CORE = 'io.k8s.api.core.v1';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

type Change = {
  readonly fields?: Readonly<Record<string, string>>;
  readonly ignored?: readonly string[];
  /** Upstream's text says that the type is deprecated; v1 is not deprecated here. */
  readonly stays?: true;
};

const APP_PROTOCOL = `The application protocol for this port. A hint that lets implementations offer richer behavior for protocols that they understand; it never makes a port unusable for those who ignore it. This field follows standard label syntax. Valid values are either:

* Un-prefixed protocol names - reserved for IANA standard service names (as per RFC-6335 and https://www.iana.org/assignments/service-names).

* Platform-defined prefixed names:
  * 'platform.io/h2c' - HTTP/2 prior knowledge over cleartext as described in https://www.rfc-editor.org/rfc/rfc9113.html#name-starting-http-2-with-prior-
  * 'platform.io/ws'  - WebSocket over cleartext as described in https://www.rfc-editor.org/rfc/rfc6455
  * 'platform.io/wss' - WebSocket over TLS as described in https://www.rfc-editor.org/rfc/rfc6455
  'kubernetes.io/h2c', 'kubernetes.io/ws' and 'kubernetes.io/wss' mean the same.

* Other protocols use implementation-defined prefixed names such as mycompany.com/my-custom-protocol.`;

const CHANGES: Readonly<Record<string, Change>> = {
  [`${CORE}.Endpoints`]: {stays: true},
  [`${CORE}.EndpointsList`]: {stays: true},
  [`${CORE}.EndpointSubset`]: {stays: true},
  [`${CORE}.EndpointAddress`]: {stays: true},
  [`${CORE}.EndpointPort`]: {stays: true, fields: {appProtocol: APP_PROTOCOL}},
  [`${META}.ObjectMeta`]: {
    fields: {
      generation:
        'A sequence number representing a specific generation of the desired state. Starts at 1 and grows by 1 with each change of it. Populated by the system. Read-only.',
    },
    ignored: ['clusterName'],
  },
  [`${META}.OwnerReference`]: {
    fields: {
      blockOwnerDeletion:
        'If true, AND if the owner has the "foregroundDeletion" finalizer, then the owner cannot be deleted from the key-value store until this reference is removed. Defaults to false. To set this field, a user needs "delete" permission of the owner, otherwise 422 (Unprocessable Entity) will be returned.',
    },
  },
};

const DEPRECATION =
  /\s*(Endpoints is a legacy API and does not contain information about all Service features\. Use discoveryv1\.EndpointSlice for complete information about Service endpoints\.|Deprecated: This API is deprecated in v1\.33\+\.( Use discoveryv1\.EndpointSlice\.)?)/g;

/** The same types in the words of our own specification. Types that it says nothing about stay as they are. */
export const inPlatformWords = (types: TypeTable): TypeTable =>
  Object.fromEntries(
    Object.entries(types).map(([name, struct]) => {
      const change = CHANGES[name];
      return [name, change === undefined ? struct : changed(struct, change)];
    }),
  );

function changed(struct: StructType, {fields = {}, ignored, stays}: Change): StructType {
  const described = struct.fields.map((field): Field => ({...field, doc: fields[field.name] ?? field.doc}));
  const doc = stays === true ? struct.doc.replace(DEPRECATION, '') : struct.doc;
  return {...struct, doc, fields: described, ...(ignored && {ignored})};
}
