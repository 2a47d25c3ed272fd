// SPDX-License-Identifier: Apache-2.0
export {createProber, type ProberCounts, type ProberPorts, type ThreadProber} from './prober.ts';
