// SPDX-License-Identifier: Apache-2.0
/**
 * `GET /v1/{endpoint}/threats/{id}`: a record, its evidence and its rule; `…/pcap`: its packets as a capture file. Ours.
 * The header x-palisade-pcap says what the file has: `flow`, `flow-cut`, the `packet` of the alert, or its `payload` in a made-up packet.
 */
import {PCAP_SOURCE_HEADER, PCAP_TYPE, type ThreatEvidence} from '@palisade/ids-wire';
import {usersOf} from '../../auth.ts';
import {getThreat, getThreatPcap, type ThreatName} from '../../evidence/get-threat.ts';
import {ReadGate} from '../../evidence/read-gate.ts';
import {
  PCAP_READS_AT_ONCE_MAX,
  THREAT_READS_AT_ONCE_MAX,
  THREAT_READS_PER_USER_MAX,
  THREAT_READS_WAITING_MAX,
} from '../../limits.ts';
import type {RecordStore} from '../../records/record-store.ts';
import type {SensorHost} from '../../sensor-host.ts';
import {sendJson} from '../answer.ts';
import {sendBytes} from '../exchange.ts';
import type {Call, Route} from '../routes.ts';
import {THREAT_PATH, threatNameOf} from './threat-path.ts';

const nameOf = ({name}: Call): ThreatName => threatNameOf(name);

/** Who looked at what a threat carried: packets and payload may hold what only few may see. */
const reportRead = (call: Call, what: 'evidence' | 'packets', more: object = {}): void => {
  const {endpoint, id} = nameOf(call);
  call.service.log.info({...usersOf(call.caller), endpoint, threat: id, ...more}, `ids: ${what} of a threat read`);
};

const isShown = ({absent, withheld}: ThreatEvidence): boolean => absent === undefined && withheld === undefined;

export const threatRoutes = (host: SensorHost, records: RecordStore): readonly Route[] => {
  const gateOf = (runningMax: number): ReadGate =>
    new ReadGate({runningMax, waitingMax: THREAT_READS_WAITING_MAX, perUserMax: THREAT_READS_PER_USER_MAX});
  const threats = gateOf(THREAT_READS_AT_ONCE_MAX);
  const pcaps = gateOf(PCAP_READS_AT_ONCE_MAX);
  const depsOf = ({service}: Call) => ({host, records, clock: service.clock});
  return [
    {
      method: 'GET',
      path: new RegExp(`^${THREAT_PATH}$`),
      parameters: [],
      handle: async call => {
        const read = () => getThreat(depsOf(call), call.caller, nameOf(call));
        const threat = await threats.run(call.caller.actingName, read);
        if (isShown(threat.evidence)) reportRead(call, 'evidence');
        sendJson(call.response, call.query, threat);
      },
    },
    {
      method: 'GET',
      path: new RegExp(`^${THREAT_PATH}/pcap$`),
      parameters: [],
      work: () => 'long-running', // `pcaps` bounds them
      handle: async call => {
        const {source, file} = await pcaps.run(call.caller.actingName, () =>
          getThreatPcap(depsOf(call), call.caller, nameOf(call)),
        );
        reportRead(call, 'packets', {source});
        sendBytes(call.response, PCAP_TYPE, file, {[PCAP_SOURCE_HEADER]: source});
      },
    },
  ];
};
