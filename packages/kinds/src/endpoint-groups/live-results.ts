// SPDX-License-Identifier: Apache-2.0
/**
 * Results of checks that changed no state, for answers: they are in memory only, and no write. One of it is shared by the kind and
 * its controller; groups are known by uid, so servers in one process do not meet.
 */
import {type CachedObject, decodeItem, type KubeObject} from '@palisade/apiserver';
import {memberId, offerKey} from './members.ts';
import {checkDetails, resultsPerPort} from './status.ts';
import type {TrackedPorts} from './tracked-ports.ts';
import type {EndpointGroup, EndpointGroupStatus, PortStatus} from './types.ts';

export class LiveResults {
  readonly #groups = new Map<string, TrackedPorts>();

  set(uid: string, tracked: TrackedPorts): void {
    this.#groups.set(uid, tracked);
  }

  delete(uid: string, tracked: TrackedPorts): void {
    if (this.#groups.get(uid) === tracked) this.#groups.delete(uid);
  }

  /** Undefined: what is stored is all there is to show. */
  shown(object: CachedObject): KubeObject | undefined {
    if (this.#groups.size === 0) return undefined;
    const group = decodeItem(object) as EndpointGroup;
    const tracked = this.#groups.get(group.metadata.uid ?? '');
    if (tracked === undefined || group.status === undefined) return undefined;
    return {...group, status: withResults(group.status, tracked)};
  }
}

const withResults = (status: EndpointGroupStatus, tracked: TrackedPorts): EndpointGroupStatus => {
  const {members = []} = status;
  const resultsMax = resultsPerPort(members.reduce((sum, {ports = []}) => sum + ports.length, 0));
  const shownPort = (ip: string, port: PortStatus): PortStatus => {
    const check = tracked.at(ip, offerKey(port))?.check;
    return check === undefined ? port : {...port, ...checkDetails(check, resultsMax)};
  };
  const shown = members.map(member => {
    const {ip = '', ports} = member;
    return ports === undefined ? member : {...member, ports: ports.map(port => shownPort(memberId(ip), port))};
  });
  return shown.length === 0 ? status : {...status, members: shown};
};
