// SPDX-License-Identifier: Apache-2.0
/** A rule of the catalogue as people and programs are shown it. */
import type {RuleMessage} from '@palisade/ids-wire';
import {describeReference} from '../eve/to-record.ts';
import {parseOptions, severityGrounds, toSignature} from '../rules/parse-rule.ts';
import {explainSeverity} from '../severity.ts';
import {type Classtype, classtypeNamed, DEFAULT_CATEGORY, DEFAULT_TYPE} from '../suricata/classifications.ts';
import type {CatalogRule} from './catalog.ts';

/** Without its resource name, which depends on who asks. */
export type RuleView = Omit<RuleMessage, 'name' | 'ruleSet' | 'text'> & {readonly text: string};

const NO_SIGNATURE = {
  ...{id: '', rev: 0, name: '', category: DEFAULT_CATEGORY, type: DEFAULT_TYPE},
  ...{cves: [], references: [], mitreTactics: [], mitreTechniques: []},
} as const;

/** `more`: classtypes besides ours. */
export const viewOf = (
  {file, line, state, reason, text}: CatalogRule,
  more: ReadonlyMap<string, Classtype> = new Map(),
): RuleView => {
  const named = (name: string): Classtype | undefined => classtypeNamed(name) ?? more.get(name);
  const options = parseOptions(text);
  const found = toSignature(text, named);
  const {id, rev, name, category, type, cves, references, mitreTactics, mitreTechniques} = found ?? NO_SIGNATURE;
  const [gid = 1, sid = 0] = id === '' ? [] : id.split(':').map(Number);
  const {severity, reason: severityReason} = explainSeverity(severityGrounds(options, named), category);
  return {
    ...{ruleId: id, gid, sid, rev, msg: name, state, reason, severity, severityReason},
    ...{classtype: category, type, file, line, mitreTactics, mitreTechniques, cves},
    references: references.map(describeReference),
    text,
  };
};

/** By sid, and of the same sid the active one first: what a page of a list begins after does not move when other rules come and go. */
export const bySid = (a: RuleView, b: RuleView): number =>
  a.gid - b.gid ||
  a.sid - b.sid ||
  Number(b.state === 'ACTIVE') - Number(a.state === 'ACTIVE') ||
  (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line);
