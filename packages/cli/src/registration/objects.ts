// SPDX-License-Identifier: Apache-2.0
/** The objects of a registration on the server: the EndpointRegistration, and the Lease of the same name that is its heartbeat. */
import {
  isNotFound,
  type KubeClient,
  type KubeObject,
  type OwnerReference,
  type ResourceClient,
  type ResourceType,
} from '@palisade/client';

export type Check = {
  readonly httpGet?: {readonly path?: string; readonly scheme: string};
  readonly webSocket?: {readonly path?: string; readonly scheme: string};
  readonly tcpSocket?: Record<string, never>;
  readonly tls?: Record<string, never>;
  readonly grpc?: {readonly service?: string; readonly tls?: boolean};
  readonly tlsConfig?: {readonly serverName: string};
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
  readonly successThreshold?: number;
};
export type RegistrationPort = {
  readonly name?: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
  readonly check?: Check;
};
export type RegistrationSpec = {
  readonly group: string;
  readonly user?: string;
  readonly addresses?: readonly string[];
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly ports?: readonly RegistrationPort[];
  readonly ttlSeconds?: number;
  readonly removeAfterSeconds?: number;
  readonly draining?: boolean;
};
export type Registration = KubeObject & {
  readonly spec?: RegistrationSpec;
  readonly status?: {readonly state?: string};
};
export type Group = KubeObject & {
  readonly spec?: {
    readonly selector?: {readonly matchLabels?: Readonly<Record<string, string>>};
    readonly ports?: readonly {readonly name?: string; readonly protocol?: string}[];
  };
};
type LeaseSpec = {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
};
export type Lease = KubeObject & {readonly spec?: LeaseSpec};
type Review = KubeObject & {readonly status?: {readonly userInfo?: {readonly username?: string}}};

export const REGISTRATIONS: ResourceType = {
  group: 'platform.io',
  version: 'v1alpha1',
  plural: 'endpointregistrations',
  kind: 'EndpointRegistration',
  namespaced: true,
};
export const GROUPS: ResourceType = {
  group: 'platform.io',
  version: 'v1alpha1',
  plural: 'endpointgroups',
  kind: 'EndpointGroup',
  namespaced: true,
};
const LEASES: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};
const REVIEWS: ResourceType = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
  namespaced: false,
};
const REGISTRATION_API = `${REGISTRATIONS.group}/${REGISTRATIONS.version}`;
const FIELD_MANAGER = 'palisade-register';

export type RegistrationObjects = {
  readonly namespace: string;
  readonly name: string;
  readonly registrations: ResourceClient<Registration>;
  readonly groups: Pick<ResourceClient<Group>, 'get'>;
  readonly leases: ResourceClient<Lease>;
  readonly reviews: ResourceClient<Review>;
};

export const registrationObjects = (
  client: Pick<KubeClient, 'resource'>,
  namespace: string,
  name: string,
): RegistrationObjects => ({
  namespace,
  name,
  registrations: client.resource<Registration>(REGISTRATIONS),
  groups: client.resource<Group>(GROUPS),
  leases: client.resource<Lease>(LEASES),
  reviews: client.resource<Review>(REVIEWS),
});

/** As it is written in messages. */
export const nameText = (name: string): string => `endpointregistrations/${name}`;

/** Undefined where it does not exist. */
export const ifFound = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });

/** The name of the user of this command; undefined where the server does not say it. */
export const ownUser = async ({reviews}: RegistrationObjects): Promise<string | undefined> => {
  const review = await reviews.create('', {}).catch(() => undefined);
  return review?.status?.userInfo?.username;
};

/**
 * Creates the registration, or makes it what is wanted, in one write that changes nothing where nothing differs. Server-side apply:
 * what other managers set, such as `draining` by an operator, stays.
 */
export const applyRegistration = (
  {registrations, namespace, name}: RegistrationObjects,
  labels: Readonly<Record<string, string>>,
  spec: RegistrationSpec,
): Promise<Registration> =>
  registrations.patch(
    namespace,
    name,
    'apply',
    {apiVersion: REGISTRATION_API, kind: REGISTRATIONS.kind, metadata: {name, labels}, spec},
    {fieldManager: FIELD_MANAGER, force: true},
  );

/** The Lease goes with its registration. */
export const ownerReference = ({metadata}: Registration): OwnerReference => ({
  apiVersion: REGISTRATION_API,
  kind: REGISTRATIONS.kind,
  name: metadata?.name ?? '',
  uid: metadata?.uid ?? '',
});

/** Ref: meta/v1 MicroTime, which takes six digits. */
export const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
