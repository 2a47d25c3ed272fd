// SPDX-License-Identifier: Apache-2.0
/** Rule files as the sources hold them, before any rule of them is chosen. */

export type LoadedFile = {
  /** As the user gave it, a URL without its secrets; of a folder or an archive with the place in it. */
  readonly source: string;
  /** Its place in its source, with `/`: what `group:` names. */
  readonly path: string;
  readonly text: string;
  /** What `text` was read as: a comment may hold bytes that are no UTF-8. */
  readonly encoding: 'utf8' | 'latin1';
  /** Which of the sources it is of, from 0. */
  readonly sourceIndex: number;
  readonly beside: Beside;
};

/** A file that a rule names, looked up next to the rule's file; a string says why it cannot be used. */
export type Beside = (name: string) => Promise<Buffer | string>;

/** Whether the words name a place on the network. */
export const isUrl = (at: string): boolean => /^https?:\/\//i.test(at);

/** The place of a source for people. User, path and query of a URL may be a secret: feeds that are paid for have a key there. */
export const shownPlace = (at: string): string => {
  if (!isUrl(at) || !URL.canParse(at)) return at;
  const {protocol, host, pathname} = new URL(at);
  const parts = pathname.split('/').filter(part => part !== '');
  return `${protocol}//${host}/${parts.length > 1 ? '…/' : ''}${parts.at(-1) ?? ''}`;
};

export const RULES_END = '.rules';
/** What suricata-update leaves out, too. */
const IGNORED = /(^|\/)[^/]*deleted\.rules$/;
export const isRuleFile = (path: string): boolean => path.endsWith(RULES_END) && !IGNORED.test(path);
export const CLASSIFICATION_NAME = 'classification.config';
