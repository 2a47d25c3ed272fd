// SPDX-License-Identifier: Apache-2.0
/**
 * What Suricata's log says of each rule, when each rule is alone in a file of its own: `RuleLogReader`.
 *
 * Suricata cuts a line of its log at 2,048 bytes, and the lines that name a rule carry its text before its file and line. The lines that
 * begin and end a file carry only the file's name, so they are whole whatever the rule holds; everything between is about that rule.
 * Suricata's own count at the end must agree. Ref: Suricata 7 detect-engine-loader.c, util-debug.h (SC_LOG_MAX_LOG_MSG_LEN).
 */

/** A rule that Suricata did not take: refused, or skipped because of its own `requires`. */
export type NotTaken = {readonly kind: 'refused' | 'skipped'; readonly reason: string};

/** `level message`, as `RULES_LOG_FORMAT` has it. */
export const RULES_LOG_FORMAT = '%d %M';
export const RULE_FOLDER = 'each';

const DIGITS = 7;
/** The file of one rule, by its index; in a folder's listing the files are in the order of the rules. */
export const ruleFileName = (index: number): string => `${RULE_FOLDER}/${String(index).padStart(DIGITS, '0')}.rules`;

const LOADING = new RegExp(`^Config Loading rule file: \\S+/${RULE_FOLDER}/(\\d{${DIGITS}})\\.rules$`);
const NOTHING_LOADED = new RegExp(`^Config No rules loaded from ${RULE_FOLDER}/(\\d{${DIGITS}})\\.rules`);
const COUNTED = /^Info (\d+) rule files processed\. (\d+) rules successfully loaded, /;
const COUNTED_NONE = /^Warning (\d+) rule files specified, but no rules were loaded!/;
const REFUSED = /^Error error parsing signature /;
const SKIPPED = /^Info Skipping signature due to missing requirements/;
const WHY_SKIPPED = /^Info Suricata did not meet the rule requirements: (.*)$/;
const ERROR = /^Error (.*)$/;

export const NO_REASON = 'Suricata refuses it without a reason';
const REASON_CHARS_MAX = 500;
const cut = (text: string): string => (text.length > REASON_CHARS_MAX ? `${text.slice(0, REASON_CHARS_MAX)}…` : text);

type Open = {readonly index: number; taken: boolean; refused: boolean; skipped: string | undefined; reasons: string[]};

export class RuleLogReader {
  readonly #rules: number;
  readonly #notTaken = new Map<number, NotTaken>();
  #read = 0;
  #open: Open | undefined;
  /** Suricata's own count of files and of rules loaded. */
  #counted: {readonly files: number; readonly loaded: number} | undefined;
  #words: string[] = [];

  constructor(rules: number) {
    this.#rules = rules;
  }

  push(line: string): void {
    const loading = LOADING.exec(line)?.[1];
    if (loading !== undefined) this.#begin(Number(loading));
    else if (this.#open !== undefined) this.#pushOf(this.#open, line);
    else if (ERROR.test(line)) this.#words.push(cut(line.slice('Error '.length)));
  }

  #begin(index: number): void {
    this.#end();
    this.#open = {index, taken: true, refused: false, skipped: undefined, reasons: []};
    if (index === this.#read) this.#read++;
  }

  #pushOf(open: Open, line: string): void {
    const nothing = NOTHING_LOADED.exec(line)?.[1];
    if (nothing !== undefined) {
      open.taken = Number(nothing) !== open.index;
      return;
    }
    const counted = COUNTED.exec(line) ?? COUNTED_NONE.exec(line);
    if (counted !== null) {
      this.#end();
      this.#counted = {files: Number(counted[1]), loaded: Number(counted[2] ?? 0)};
      return;
    }
    if (REFUSED.test(line)) open.refused = true;
    else if (SKIPPED.test(line)) open.skipped ??= 'its "requires" are not met';
    else if (WHY_SKIPPED.test(line)) open.skipped = cut(WHY_SKIPPED.exec(line)?.[1] ?? '');
    else if (ERROR.test(line)) open.reasons.push(cut(ERROR.exec(line)?.[1] ?? ''));
  }

  #end(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined && (!open.taken || open.refused)) this.#leaveOut(open);
  }

  #leaveOut(open: Open): void {
    const reason = open.reasons.join('; ');
    this.#notTaken.set(
      open.index,
      open.skipped !== undefined && !open.refused
        ? {kind: 'skipped', reason: open.skipped}
        : {kind: 'refused', reason: reason === '' ? NO_REASON : reason},
    );
  }

  /** By the rule's index. Undefined: the log is not whole, or Suricata's own count is another. */
  notTaken(): ReadonlyMap<number, NotTaken> | undefined {
    const {files, loaded} = this.#counted ?? {files: -1, loaded: -1};
    const whole = this.#read === this.#rules && files === this.#rules && loaded === files - this.#notTaken.size;
    return whole ? this.#notTaken : undefined;
  }

  /**
   * By the rule's index, of a log that ends at a rule with Suricata's reason: it gave up at that rule, as it does when it cannot read a file
   * that the rule names. The rules after it are not judged. Undefined: it did not end so.
   */
  givenUp(): ReadonlyMap<number, NotTaken> | undefined {
    if (this.#open === undefined || this.#open.reasons.length === 0) return undefined;
    this.#leaveOut({...this.#open, refused: true});
    return this.#notTaken;
  }

  /** The last rule that Suricata began to read in a log that ends there. */
  get last(): number | undefined {
    return this.#open?.index;
  }

  /** Errors that are about no rule. */
  get words(): readonly string[] {
    return this.#words;
  }
}
