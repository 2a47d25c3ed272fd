// SPDX-License-Identifier: Apache-2.0
/** `palisade rules check`: what a server would say of rule files, by the Suricata of this machine. */
import {checkLocalRules, type LocalCheck} from '@palisade/server/local-rules';
import {interruptsOfProcess} from '../command-line/interrupts.ts';
import {type CliIo, EXIT, UsageError} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {checkFlags} from './rule-flags.ts';

/** Work that Ctrl-C ends, with the Suricata that it has started. */
export const interruptible = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const ending = new AbortController();
  const release = interruptsOfProcess(() => ending.abort());
  try {
    return await work(ending.signal);
  } finally {
    release();
  }
};

const counted = (count: number, what: string): string => `${count} ${count === 1 ? 'is' : 'are'} ${what}`;

const summary = ({suricata, given, loaded, refusedCount, skippedCount, disabled}: LocalCheck): string => {
  const more = [
    refusedCount === 0 ? '' : counted(refusedCount, 'refused'),
    skippedCount === 0 ? '' : counted(skippedCount, 'skipped'),
    disabled === 0 ? '' : counted(disabled, 'disabled'),
  ].filter(text => text !== '');
  const rules = `${loaded} of ${given} ${given === 1 ? 'rule' : 'rules'} ${given === 1 ? 'loads' : 'load'}`;
  return [`Suricata ${suricata}: ${rules}`, ...more].join(', ');
};

const shown = (check: LocalCheck): string => {
  const {accepted, reason, lines, indented, warnings, refusedCount, skippedCount} = check;
  const unnamed = refusedCount + skippedCount - lines.refused.length - lines.skipped.length;
  const all = [
    summary(check),
    ...lines.refused,
    ...lines.skipped,
    ...(unnamed === 0 ? [] : [`and ${unnamed} more`]),
    ...indented.map(
      ({file, line}) => `${file}, line ${line}: Suricata skips this indented rule; remove the indentation`,
    ),
    ...warnings,
    ...(accepted ? [] : [`palisade serve would refuse this rule set: ${reason}`]),
  ];
  return terminalText(`${all.join('\n')}\n`);
};

export const runCheck = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options, positionals: rules} = parseOptions(words, checkFlags, {max: Number.POSITIVE_INFINITY});
  if (rules.length === 0) throw new UsageError('at least one rule FILE is required');
  const {json, ...flags} = options;
  const check = await interruptible(signal => checkLocalRules({...flags, rules}, io.cwd, signal));
  const {lines: _, ...data} = check;
  io.stdout.write(json ? `${terminalJson(data)}\n` : shown(check));
  return check.accepted && check.refusedCount === 0 ? EXIT.ok : EXIT.failed;
};
