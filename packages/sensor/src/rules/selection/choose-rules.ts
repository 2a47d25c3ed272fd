// SPDX-License-Identifier: Apache-2.0
/**
 * Which rules of the sources are active: what users turned on and off, else, in the order of suricata-update: the disable list, the enable list (a rule that both match is
 * enabled), the changes, then the rules whose flowbits others test. Ref: suricata-update, main.py.
 */
import {RULES_LISTED_MAX} from '../../limits.ts';
import {type IndentedRule, SensorError} from '../../sensor-error.ts';
import {splitRules} from '../parse-rule.ts';
import {type GivenRule, givenRule} from '../rule-files.ts';
import {type LoadedFile, shownPlace} from '../source/rule-file.ts';
import type {RuleSetSpec, RuleSource} from '../sources.ts';
import {commentedRules, idOf} from './commented.ts';
import {neededForBits, withoutAlerts} from './flowbits.ts';
import {expressionOf, RuleMatcher} from './rule-match.ts';

export type Chosen = {
  readonly rules: readonly GivenRule[];
  /** Lines (at most `RULES_LISTED_MAX`) with rules that Suricata skips since they are indented. */
  readonly indented: readonly IndentedRule[];
  /** Rules that a disable list turns off. */
  readonly disabled: number;
  readonly warnings: readonly string[];
};

type Change = {readonly match: string; readonly matcher: RuleMatcher; readonly from: RegExp; readonly to: string};
type Lists = {
  readonly isEmpty: boolean;
  readonly disable: RuleMatcher;
  readonly enable: RuleMatcher;
  readonly changes: readonly Change[];
  /** By `gid:sid`; goes before the lists. */
  readonly switched: ReadonlyMap<string, 'on' | 'off'>;
};
/** `commented`: off in the file. `disabled`: turned off by a list. `kept`: disabled, but its flowbits are tested. */
type Candidate = {
  readonly file: LoadedFile;
  readonly fileIndex: number;
  readonly line: number;
  readonly number: number;
  readonly id: string | undefined;
  readonly text: string;
  readonly state: 'on' | 'enabled' | 'commented' | 'disabled';
};

const IDS_SHOWN_MAX = 10;
const WORDS_OF: Readonly<Record<string, string>> = {disable: '--disable-sid', enable: '--enable-sid'};

/** The references of Python (`\1`, `\g<1>`) and of Oinkmaster (`${1}`). */
const REFERENCE = /\\(\d{1,2})|\\g<(\d{1,2})>|\$\{(\d{1,2})\}/g;
const changed = (text: string, {from, to}: Change): string =>
  text.replace(from, (...found: unknown[]) =>
    to.replace(REFERENCE, (_, a?: string, b?: string, c?: string) => String(found[Number(a ?? b ?? c)] ?? '')),
  );

const listsOf = (source: RuleSource, faults: Set<string>): Lists => {
  const matcher = (list: string, words: readonly string[]): RuleMatcher => {
    const made = new RuleMatcher(words);
    for (const fault of made.faults) faults.add(`${WORDS_OF[list] ?? list} ${fault}`);
    return made;
  };
  const disable = [...source.disable, ...(source.flags?.disable ?? [])];
  const enable = [...source.enable, ...(source.flags?.enable ?? [])];
  const changes = source.modify.flatMap(({match, from, to}): Change[] => {
    const expression = expressionOf(from, 'g');
    if (typeof expression === 'string') faults.add(`modify ${from}: ${expression}`);
    const made = {match, matcher: matcher('modify', [match]), to};
    return typeof expression === 'string' ? [] : [{...made, from: expression}];
  });
  const switched = new Map<string, 'on' | 'off'>([
    ...(source.switched?.disable ?? []).map(id => [id, 'off'] as const),
    ...(source.switched?.enable ?? []).map(id => [id, 'on'] as const),
  ]);
  return {
    isEmpty: disable.length + enable.length + source.modify.length + switched.size === 0,
    switched,
    disable: matcher('disable', disable),
    enable: matcher('enable', enable),
    changes,
  };
};

const candidatesOf = (
  file: LoadedFile,
  fileIndex: number,
  lists: Lists,
  onIndented: (line: number) => void,
): Candidate[] => {
  const given = splitRules(file.text, onIndented).map(rule => ({...rule, isOn: true}));
  if (lists.isEmpty)
    return given.map(({line, text}, index) => ({
      ...{file, fileIndex, line, text, number: index + 1},
      ...{id: undefined, state: 'on'},
    }));
  const commented = commentedRules(file.text).map(rule => ({...rule, isOn: false}));
  let number = 0;
  return [...given, ...commented]
    .sort((a, b) => a.line - b.line)
    .map(({line, text, isOn}) => {
      const rule = {id: idOf(text), path: file.path, text};
      const [isOff, isListed] = [lists.disable.matches(rule), lists.enable.matches(rule)];
      const turned = rule.id === undefined ? undefined : lists.switched.get(rule.id);
      const isDisabled = (turned === undefined ? isOff : turned === 'off') && isOn;
      const isEnabled = turned === undefined ? isListed : turned === 'on';
      const state =
        isEnabled && !(isOn && !isDisabled) ? 'enabled' : isDisabled ? 'disabled' : isOn ? 'on' : 'commented';
      if (state !== 'commented') number++;
      const fitting = state === 'on' || state === 'enabled' ? lists.changes : [];
      const result = fitting.reduce(
        (now, change) => (change.matcher.matches({...rule, text: now}) ? changed(now, change) : now),
        text,
      );
      return {file, fileIndex, line, number, id: rule.id, text: result, state};
    });
};

/** Words of flags that match no rule of any source, and of sources that match none of theirs. */
const unmatched = (set: string, sources: readonly RuleSource[], lists: readonly Lists[]): string[] => {
  const kinds = ['disable', 'enable'] as const;
  const ofLists = kinds.flatMap(kind => {
    const used = new Set(lists.flatMap(list => [...list[kind].used]));
    const words = new Set(sources.flatMap(source => source.flags?.[kind] ?? []));
    const ofFlags = [...words].filter(word => !used.has(word));
    const ofSources = sources.flatMap((source, at) => {
      const own = new Set(source[kind].filter(word => lists[at]?.[kind].used.has(word) !== true));
      return [...own].map(
        word => `${kind} ${word} of rule set "${set}", source ${shownPlace(source.at)}: matches no rule`,
      );
    });
    return [...ofFlags.map(word => `${WORDS_OF[kind]} ${word}: matches no rule`), ...ofSources];
  });
  const changes = lists.flatMap(list => list.changes);
  const used = new Set(changes.filter(({matcher}) => matcher.used.size > 0).map(({match}) => match));
  const words = new Set(changes.map(({match}) => match));
  return [
    ...ofLists,
    ...[...words].filter(word => !used.has(word)).map(word => `modify ${word}: matches no active rule`),
  ];
};

/** Rules that are off and stay without alerts, since active ones test their flowbits. A comment counts only for rules that a list enabled. */
const keptFor = (all: readonly Candidate[]): Set<Candidate> => {
  const inState = (...states: readonly Candidate['state'][]): Candidate[] =>
    all.filter(({state}) => states.includes(state));
  const disabled = neededForBits(inState('on', 'enabled'), inState('disabled'));
  return new Set([...disabled, ...neededForBits(inState('enabled'), inState('commented'))]);
};

const keptWarning = (kept: ReadonlySet<Candidate>): string[] => {
  if (kept.size === 0) return [];
  const ids = [...kept].slice(0, IDS_SHOWN_MAX).map(({id, file, line}) => id ?? `${file.source}, line ${line}`);
  const more = kept.size > IDS_SHOWN_MAX ? ` and ${kept.size - IDS_SHOWN_MAX} more` : '';
  const words = kept.size === 1 ? '1 rule that is off stays active' : `${kept.size} rules that are off stay active`;
  return [`${words} without alerts, because other rules test flowbits of it: ${ids.join(', ')}${more}`];
};

/** Throws SensorError `rule-settings` with every word that is not valid. */
export const chooseRules = (
  files: readonly LoadedFile[],
  {name: set, sources}: Pick<RuleSetSpec, 'name' | 'sources'>,
): Chosen => {
  const faults = new Set<string>();
  const lists = sources.map(source => listsOf(source, faults));
  if (faults.size > 0) throw new SensorError('rule-settings', [...faults].join('; '));
  const indented: IndentedRule[] = [];
  const all = files.flatMap((file, fileIndex) => {
    const own = lists[file.sourceIndex];
    if (own === undefined) return [];
    return candidatesOf(file, fileIndex, own, line => {
      if (indented.length >= RULES_LISTED_MAX) return;
      indented.push({file: file.source, line, id: idOf(file.text.split('\n')[line - 1]?.trim() ?? '')});
    });
  });
  const kept = keptFor(all);
  const rules = all.flatMap((one): GivenRule[] => {
    const isKept = kept.has(one);
    if (!isKept && (one.state === 'disabled' || one.state === 'commented')) return [];
    const {file, fileIndex, line, number, text} = one;
    return [
      givenRule({file: file.source, fileIndex, line, number}, isKept ? withoutAlerts(text) : text, file.encoding),
    ];
  });
  return {
    rules,
    indented,
    disabled: all.filter(one => one.state === 'disabled' && !kept.has(one)).length,
    warnings: [...unmatched(set, sources, lists), ...keptWarning(kept)],
  };
};
