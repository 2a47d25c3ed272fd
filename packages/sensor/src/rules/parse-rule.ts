// SPDX-License-Identifier: Apache-2.0
/**
 * Reads from a rule what the product needs to know of it; whether the rule is right is Suricata's judgement alone.
 * A rule is `action header (option; option:value; …)`; `;`, `"` and `\` inside values are escaped with `\`; a line that ends in `\`
 * goes on; `#` starts a comment line.
 */
import type {MitreReference, Severity} from '@palisade/ids-wire';
import {DEFAULT_PRIORITY, severityOf} from '../severity.ts';
import {classtypeNamed, DEFAULT_CATEGORY, DEFAULT_TYPE} from '../suricata/classifications.ts';
import {threatIdOf} from '../threat-id.ts';

/** What a threat record needs to know of a rule. */
export type Signature = {
  /** `gid:sid`. */
  readonly id: string;
  readonly rev: number;
  readonly name: string;
  readonly severity: Severity;
  readonly priority: number;
  /** The classtype. */
  readonly category: string;
  readonly type: string;
  /** `CVE-YYYY-N`, in rule order, no duplicates. */
  readonly cves: readonly string[];
  /** `system,id` of the other references. */
  readonly references: readonly string[];
  /** Of MITRE ATT&CK, in rule order, no duplicates. */
  readonly mitreTactics: readonly MitreReference[];
  readonly mitreTechniques: readonly MitreReference[];
};

export type RuleOption = {readonly name: string; readonly value: string | undefined};
/** `line`: its first line in the file, from 1. `text`: without line ends. */
export type RuleText = {readonly line: number; readonly text: string};

/** What Suricata takes for blank: not U+00A0, which JavaScript does. */
const BLANK = '[ \\t\\r\\f\\v]*';
/** Lines that Suricata skips: empty ones, comments, and any that begin with a space or a tab (test/sensor/faults.test.ts). */
const SKIPPED = /^(?:[ \t\r#]|$)/;
const CONTINUED = new RegExp(`\\\\${BLANK}$`);
const OUTER_BLANKS = new RegExp(`^${BLANK}|${BLANK}$`, 'g');

/** A rule that was indented: nobody means it to be skipped. */
const INDENTED = /^[ \t]+(?:alert|drop|pass|reject|rejectsrc|rejectdst|rejectboth)[ \t]/;

/** Rules of a file, joined over continued lines; what Suricata skips is left out. `onIndented` gets the lines of rules among that, from 1. */
export const splitRules = (file: string, onIndented?: (line: number) => void): RuleText[] => {
  const rules: RuleText[] = [];
  let pending = '';
  let first = 1;
  const take = (rule: string): void => {
    const text = rule.replace(OUTER_BLANKS, '');
    if (text !== '') rules.push({line: first, text});
    pending = '';
  };
  for (const [index, raw] of file.split('\n').entries()) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (pending === '') {
      if (SKIPPED.test(line)) {
        if (INDENTED.test(line)) onIndented?.(index + 1);
        continue;
      }
      first = index + 1;
    }
    const continued = CONTINUED.exec(line);
    if (continued === null) take(pending + line);
    else pending += line.slice(0, continued.index);
  }
  take(pending); // a `\` ends the file
  return rules;
};

const unquote = (value: string): string => {
  const inner = /^!?"(.*)"$/s.exec(value)?.[1] ?? value;
  return inner.replace(/\\([";\\:])/g, '$1');
};

/** Options between the outer brackets, in order; names in lower case. Ref: Suricata 7 detect-parse.c, SigTableGet. */
export const parseOptions = (rule: string): RuleOption[] => {
  const body = rule.slice(rule.indexOf('(') + 1, rule.lastIndexOf(')'));
  const options: RuleOption[] = [];
  let start = 0;
  for (let at = 0; at <= body.length; at++) {
    if (body[at] === '\\') {
      at++;
      continue;
    }
    if (at < body.length && body[at] !== ';') continue;
    const text = body.slice(start, at).trim();
    start = at + 1;
    if (text === '') continue;
    const colon = text.indexOf(':');
    options.push(
      colon < 0
        ? {name: text.toLowerCase(), value: undefined}
        : {name: text.slice(0, colon).trim().toLowerCase(), value: text.slice(colon + 1).trim()},
    );
  }
  return options;
};

const valuesOf = (options: readonly RuleOption[], name: string): string[] =>
  options.flatMap(option => (option.name === name && option.value !== undefined ? [option.value] : []));

/** `metadata:key value, key value`: values of one key. */
const metadataOf = (options: readonly RuleOption[], key: string): string[] =>
  valuesOf(options, 'metadata').flatMap(list =>
    list.split(',').flatMap(pair => {
      const [name = '', ...rest] = pair.trim().split(/\s+/);
      return name.toLowerCase() === key ? [rest.join(' ')] : [];
    }),
  );

const toCve = (text: string): string | undefined => {
  const match = /^(?:CVE[-_])?(\d{4})[-_](\d{4,})$/i.exec(text.trim());
  return match === null ? undefined : `CVE-${match[1]}-${match[2]}`;
};

const cvesOf = (options: readonly RuleOption[]): string[] => {
  const named = valuesOf(options, 'reference').flatMap(value => {
    const [system = '', ...id] = value.split(',');
    return system.trim().toLowerCase() === 'cve' ? [id.join(',')] : [];
  });
  const all = [...named, ...metadataOf(options, 'cve').flatMap(list => list.split(/\s+/))];
  return [...new Set(all.map(toCve).filter(cve => cve !== undefined))];
};

const MITRE_ID = /^T[A-Z]?\d{4}(?:\.\d{3})?$/i;

/**
 * `mitre_tactic_id TA0001, mitre_tactic_name Initial_Access`, and the same of techniques: the name is the one with the same place among
 * the names. Ref: metadata of Emerging Threats.
 */
const mitreOf = (options: readonly RuleOption[], what: 'tactic' | 'technique'): MitreReference[] => {
  const names = metadataOf(options, `mitre_${what}_name`);
  const found = new Map<string, MitreReference>();
  for (const [at, word] of metadataOf(options, `mitre_${what}_id`).entries()) {
    const id = word.toUpperCase();
    if (MITRE_ID.test(id) && !found.has(id)) found.set(id, {id, name: (names[at] ?? '').replaceAll('_', ' ')});
  }
  return [...found.values()];
};

/** The `signature_severity` words of a rule, its priority and where that is from: what decides its severity. */
export type SeverityGrounds = {
  readonly words: readonly string[];
  readonly priority: number;
  readonly from: 'rule' | 'classtype' | 'default';
};

export const severityGrounds = (options: readonly RuleOption[], named = classtypeNamed): SeverityGrounds => {
  const words = metadataOf(options, 'signature_severity');
  const own = numberOf(options, 'priority');
  if (own !== undefined) return {words, priority: own, from: 'rule'};
  const ofType = named(valuesOf(options, 'classtype')[0] ?? '')?.priority;
  return ofType === undefined
    ? {words, priority: DEFAULT_PRIORITY, from: 'default'}
    : {words, priority: ofType, from: 'classtype'};
};

const numberOf = (options: readonly RuleOption[], name: string): number | undefined => {
  const value = valuesOf(options, name)[0];
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
};

/** Undefined when the rule has no sid (Suricata refuses such a rule). `named`: the classtype of a name. */
export const toSignature = (rule: string, named = classtypeNamed): Signature | undefined => {
  const options = parseOptions(rule);
  const sid = numberOf(options, 'sid');
  if (sid === undefined) return undefined;
  const category = valuesOf(options, 'classtype')[0] ?? DEFAULT_CATEGORY;
  const classtype = named(category);
  const {words, priority} = severityGrounds(options, named);
  const id = threatIdOf(numberOf(options, 'gid') ?? 1, sid);
  return {
    id,
    rev: numberOf(options, 'rev') ?? 0,
    name: unquote(valuesOf(options, 'msg')[0] ?? `signature ${id}`),
    severity: severityOf(words, priority),
    priority,
    category,
    type: classtype?.type ?? DEFAULT_TYPE,
    cves: cvesOf(options),
    references: valuesOf(options, 'reference').filter(value => !/^\s*cve\s*,/i.test(value)),
    mitreTactics: mitreOf(options, 'tactic'),
    mitreTechniques: mitreOf(options, 'technique'),
  };
};

/** Options that let a rule write files or run code on the sensor's host. Undefined: the rule asks for none. */
export const forbiddenIn = (rule: string): string | undefined => {
  for (const {name, value} of parseOptions(rule)) {
    if (name === 'lua' || name === 'luajit') return `"${name}" runs code on the sensor's host and is not allowed`;
    if (name === 'filestore') return '"filestore" writes captured files on the sensor\'s host and is not allowed';
    if ((name === 'dataset' || name === 'datarep') && /(^|,)\s*(save|state)\s/.test(value ?? ''))
      return `"${name}" with save or state writes files on the sensor's host and is not allowed`;
  }
  return undefined;
};
