// SPDX-License-Identifier: Apache-2.0

export {refusedAddress} from './checks/address.ts';
export type {CheckMethod, CheckResult, CheckTarget, CheckTls} from './port.ts';
export {createProber, type ProberCounts, type ProberPorts, type ThreadProber} from './prober.ts';
