// SPDX-License-Identifier: Apache-2.0

export {sendCommand} from '../suricata/command-socket.ts';
export * from './memory-sink.ts';
export * from './packets.ts';
export {type Pair, RULE_TRAFFIC, type RuleTraffic} from './rule-traffic-table.ts';
