// SPDX-License-Identifier: Apache-2.0
/** google.cloud.ids.v1.Endpoint in its JSON form. Ref: the discovery document of the Cloud IDS API v1. */
import type {Severity} from './records.ts';

/** Number = position. */
export const SEVERITY_NAMES = ['SEVERITY_UNSPECIFIED', 'INFORMATIONAL', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type SeverityName = (typeof SEVERITY_NAMES)[number];

/** Number = position. UPDATING is not in the public proto; 4 is the next free number there. */
export const STATE_NAMES = ['STATE_UNSPECIFIED', 'CREATING', 'READY', 'DELETING', 'UPDATING'] as const;
export type StateName = (typeof STATE_NAMES)[number];
export type EndpointState = Exclude<StateName, 'STATE_UNSPECIFIED'>;

export const ENDPOINT_TYPE_URL = 'type.googleapis.com/google.cloud.ids.v1.Endpoint';

/** What a user sets. Defaults are filled in: '' and empty collections. */
export type EndpointSpec = {
  /** As the user wrote it: bare name, partial path or URL. */
  readonly network: string;
  readonly severity: Severity;
  readonly description: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly trafficLogs: boolean;
  readonly threatExceptions: readonly string[];
};

/** The message as it goes on the wire: fields that hold their default are absent. */
export type IdsEndpointMessage = {
  readonly name: string;
  readonly createTime: string;
  readonly updateTime: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly network: string;
  readonly endpointForwardingRule?: string;
  readonly endpointIp?: string;
  readonly description?: string;
  readonly severity: Severity;
  readonly state: EndpointState;
  readonly trafficLogs?: boolean;
  readonly threatExceptions?: readonly string[];
};

export type EnumEncoding = 'name' | 'int';

/** The same message with `severity` and `state` as numbers when asked for. */
export const encodeEndpoint = (message: IdsEndpointMessage, enums: EnumEncoding): object =>
  enums === 'name'
    ? message
    : {
        ...message,
        severity: SEVERITY_NAMES.indexOf(message.severity),
        state: STATE_NAMES.indexOf(message.state),
      };

/** Spec and system fields → message without defaults. Field order is that of the discovery document's listing. */
export const toEndpointMessage = (
  spec: EndpointSpec,
  system: {
    readonly name: string;
    readonly createTime: string;
    readonly updateTime: string;
    readonly state: EndpointState;
    readonly endpointForwardingRule: string | undefined;
    readonly endpointIp: string | undefined;
  },
): IdsEndpointMessage => ({
  name: system.name,
  createTime: system.createTime,
  updateTime: system.updateTime,
  ...(Object.keys(spec.labels).length > 0 ? {labels: spec.labels} : {}),
  network: spec.network,
  ...(system.endpointForwardingRule === undefined ? {} : {endpointForwardingRule: system.endpointForwardingRule}),
  ...(system.endpointIp === undefined ? {} : {endpointIp: system.endpointIp}),
  ...(spec.description === '' ? {} : {description: spec.description}),
  severity: spec.severity,
  state: system.state,
  ...(spec.trafficLogs ? {trafficLogs: true} : {}),
  ...(spec.threatExceptions.length > 0 ? {threatExceptions: spec.threatExceptions} : {}),
});
