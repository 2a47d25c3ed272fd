// SPDX-License-Identifier: Apache-2.0
/** Where rules come from, as the user configures them. */

/**
 * A rule by `sid`, `gid:sid`, `group:NAME` (a rule file, with `*`), or `re:EXPRESSION` (anywhere in the rule, without case): the words of
 * suricata-update's disable.conf and enable.conf.
 */
export type RuleMatch = string;

/** Replaces what `from`, a regular expression, finds in the text of matching rules: a line of suricata-update's modify.conf. */
export type RuleChange = {readonly match: RuleMatch; readonly from: string; readonly to: string};

export type RuleSource = {
  /** An absolute path of a rule file, a folder of them, or an archive (.tar.gz, .zip); or the http(s) URL of a rule file or an archive. */
  readonly at: string;
  /** Of the archive or file, 64 hex digits. */
  readonly sha256?: string | undefined;
  /** In the order of suricata-update: disabled, then enabled, then changed; so a rule that both lists match is enabled. */
  readonly disable: readonly RuleMatch[];
  readonly enable: readonly RuleMatch[];
  readonly modify: readonly RuleChange[];
  /** Of --disable-sid and --enable-sid, in addition: they may match rules of any source. */
  readonly flags?: {readonly disable: readonly RuleMatch[]; readonly enable: readonly RuleMatch[]} | undefined;
  /** Rules that users turned on and off while the server ran, by `gid:sid`, in place of what the lists say. They may be of any source. */
  readonly switched?: {readonly disable: readonly string[]; readonly enable: readonly string[]} | undefined;
};

/** The rules of some endpoints: sources in load order, and what Suricata's threshold.config holds. */
export type RuleSetSpec = {
  /** `default`, or a name of the configuration file. */
  readonly name: string;
  readonly sources: readonly RuleSource[];
  /** Absolute paths of files in the form of threshold.config; their lines are joined. */
  readonly thresholds: readonly string[];
};

/** A source as a word of `--rules` gives it. */
export const plainSource = (at: string): RuleSource => ({at, enable: [], modify: [], disable: []});

/** The default set, of plain files. */
export const plainRuleSet = (files: readonly string[]): RuleSetSpec => ({
  name: 'default',
  sources: files.map(plainSource),
  thresholds: [],
});
