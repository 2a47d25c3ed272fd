// SPDX-License-Identifier: Apache-2.0
/** Rule sets and rules for tests. */
import type {HostRule, HostRuleSet} from '../sensor-host.ts';

export const ruleSet = (ruleSetId: string, more: Partial<HostRuleSet> = {}): HostRuleSet => ({
  ...{ruleSetId, variables: {}, version: '0123456789abcdef', sources: ['/etc/rules/a.rules'], bindings: []},
  ...{versionTime: '2026-01-01T00:00:00.000Z', readTime: '2026-01-02T00:00:00.000Z'},
  ...{rulesGiven: 3, rulesActive: 1, rulesRefused: 1, rulesSkipped: 0, rulesDisabled: 1},
  ...{refused: '', refusedRules: [], endpoints: []},
  ...more,
});

export const hostRule = (sid: number, more: Partial<HostRule> = {}): HostRule => ({
  ...{ruleId: `1:${sid}`, gid: 1, sid, rev: 1, msg: `rule ${sid}`, state: 'ACTIVE', reason: ''},
  ...{severity: 'LOW', severityReason: 'default priority 3', classtype: 'unknown', type: 'vulnerability'},
  ...{file: '/etc/rules/a.rules', line: sid, mitreTactics: [], mitreTechniques: [], cves: [], references: []},
  text: `alert tcp any any -> any any (msg:"rule ${sid}"; sid:${sid};)`,
  ...more,
});
