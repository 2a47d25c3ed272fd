// SPDX-License-Identifier: Apache-2.0
/** An IDS endpoint as the store keeps it: JSON under `/ids/endpoints/{name}`. */
import {
  type EndpointSpec,
  type EndpointState,
  formatTimestamp,
  type IdsEndpointMessage,
  toEndpointMessage,
} from '@palisade/ids-wire';

export type EndpointRecord = {
  readonly name: string;
  readonly state: EndpointState;
  readonly createTimeMs: number;
  readonly updateTimeMs: number;
  /** What is in force. */
  readonly spec: EndpointSpec;
  /** What an update brings; there exactly while UPDATING. */
  readonly pending?: EndpointSpec | undefined;
  /** The running operation; there exactly in every state but READY. */
  readonly operation?: string | undefined;
  /** There from the moment a sensor may be started. The keys `/ids/addresses/…` and `/ids/vnis/…` come and go with it. */
  readonly allocation?: Allocation | undefined;
};

export type Allocation = {
  readonly ip: string;
  readonly vni: number;
  /** Path of the forwarding rule below `/compute/v1/`. */
  readonly rule: string;
};

/** `ruleBase`: `http(s)://HOST/compute/v1/`. Rule and address are shown once the endpoint has been READY. */
export const toMessage = (record: EndpointRecord, ruleBase: string): IdsEndpointMessage => {
  const shown = record.state === 'CREATING' ? undefined : record.allocation;
  return toEndpointMessage(record.spec, {
    name: record.name,
    createTime: formatTimestamp(record.createTimeMs),
    updateTime: formatTimestamp(record.updateTimeMs),
    state: record.state,
    endpointForwardingRule: shown === undefined ? undefined : `${ruleBase}${shown.rule}`,
    endpointIp: shown?.ip,
  });
};
