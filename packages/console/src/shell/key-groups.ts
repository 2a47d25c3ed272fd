// SPDX-License-Identifier: Apache-2.0
/** The shortcuts that do something where the user is. */
import type {KeyGroup} from '../ui/data/key-list.tsx';

/** `needs`: a selector of what the page must have; without it, everywhere. */
const GROUPS: readonly (KeyGroup & {readonly needs?: string})[] = [
  {
    title: 'In every table',
    needs: '[role="grid"]',
    keys: [
      [['↑', '↓'], 'Move by a row'],
      [['Page Up', 'Page Down'], 'Move by a screen'],
      [['Home', 'End'], 'Go to the first or the last row'],
      [['Enter'], 'Open the row, where a click opens it'],
    ],
  },
  {title: 'In a list of tabs', needs: '[role="tab"]', keys: [[['←', '→'], 'Move between tabs']]},
  {
    title: 'In the filter',
    needs: '[data-page-filter]',
    keys: [
      [['Enter'], 'Filter at once'],
      [['Esc'], 'Clear the filter'],
    ],
  },
  {title: 'In the YAML', needs: '[data-editor]', keys: [[['Ctrl+S', 'Ctrl+Enter'], 'Review the text']]},
  {
    title: 'Everywhere',
    keys: [
      [['/'], 'Go to the filter of the page, if it has one'],
      [['?'], 'Show this help'],
      [['Esc'], 'Close a dialog or a menu'],
    ],
  },
];

/** `has`: whether the page has an element of the selector. */
export const keyGroups = (ofPage: KeyGroup | undefined, has: (selector: string) => boolean): readonly KeyGroup[] => [
  ...(ofPage === undefined ? [] : [ofPage]),
  ...GROUPS.filter(({needs}) => needs === undefined || has(needs)),
];
