// SPDX-License-Identifier: Apache-2.0
/** Messages of the Cloud IDS API v1 in their JSON form. Absent means the default. Ref: google.cloud.ids.v1. */

export type IdsSeverity = 'SEVERITY_UNSPECIFIED' | 'INFORMATIONAL' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
export type IdsState = 'STATE_UNSPECIFIED' | 'CREATING' | 'READY' | 'DELETING' | 'UPDATING';

export type IdsEndpoint = {
  readonly name?: string;
  readonly createTime?: string;
  readonly updateTime?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly network?: string;
  readonly endpointForwardingRule?: string;
  readonly endpointIp?: string;
  readonly description?: string;
  readonly severity?: IdsSeverity;
  readonly threatExceptions?: readonly string[];
  readonly state?: IdsState;
  readonly trafficLogs?: boolean;
};

/** google.rpc.Status as it stands in operations and error bodies. */
export type RpcStatus = {
  /** google.rpc.Code number. */
  readonly code?: number;
  readonly message?: string;
  readonly details?: readonly Readonly<Record<string, unknown>>[];
};

export type Operation = {
  readonly name: string;
  readonly done?: boolean;
  readonly metadata?: {
    readonly createTime?: string;
    readonly endTime?: string;
    readonly target?: string;
    readonly verb?: string;
    readonly statusMessage?: string;
    readonly requestedCancellation?: boolean;
    readonly apiVersion?: string;
  };
  readonly error?: RpcStatus;
  readonly response?: IdsEndpoint;
};

export type EndpointPage = {
  readonly endpoints?: readonly IdsEndpoint[];
  readonly nextPageToken?: string;
  readonly unreachable?: readonly string[];
};
export type OperationPage = {readonly operations?: readonly Operation[]; readonly nextPageToken?: string};

/** google.cloud.location.Location. */
export type IdsLocation = {readonly name?: string; readonly locationId?: string; readonly displayName?: string};
export type LocationPage = {readonly locations?: readonly IdsLocation[]; readonly nextPageToken?: string};

/** `projects/P/locations/L/endpoints/E`. */
export type EndpointName = {readonly project: string; readonly location: string; readonly endpointId: string};

export const formatEndpointName = (name: EndpointName): string =>
  `projects/${name.project}/locations/${name.location}/endpoints/${name.endpointId}`;

/** Undefined when the text is no full resource name. */
export function parseEndpointName(text: string): EndpointName | undefined {
  const match = /^projects\/([^/]+)\/locations\/([^/]+)\/endpoints\/([^/]+)$/.exec(text);
  const [, project, location, endpointId] = match ?? [];
  if (project === undefined || location === undefined || endpointId === undefined) return undefined;
  return {project, location, endpointId};
}

/**
 * One form for all that name the same network: `projects/P/global/networks/N`. A bare name belongs to `project`; text that is
 * neither form stays as it is. Ref: requirements I-027.
 */
export function canonicalNetwork(network: string, project: string): string {
  const full = /(?:^|\/)projects\/([^/]+)\/global\/networks\/([^/]+)$/.exec(network);
  if (full !== null) return `projects/${full[1]}/global/networks/${full[2]}`;
  const local = /^(?:global\/networks\/)?([^/]+)$/.exec(network);
  return local === null ? network : `projects/${project}/global/networks/${local[1]}`;
}
