// SPDX-License-Identifier: Apache-2.0
import type {MirrorSetUp} from '@palisade/ids-wire';

/** The set-up has its texts as comments of a script: lower case, without a full stop. */
export const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.:!?]$/.test(text) ? '' : '.'}`;

/** All commands, each part below a comment. */
export const scriptText = ({sections}: Pick<MirrorSetUp, 'sections'>): string =>
  sections.map(({about, commands}) => `# ${about}\n${commands.join('\n')}`).join('\n\n');
