// SPDX-License-Identifier: Apache-2.0
/** The shortcuts of pages, in addition to those of every filter and table. */
import type {KeyGroup} from '../ui/data/key-list.tsx';

export const OVERVIEW_KEYS: KeyGroup = {
  title: 'On the bars of alerts',
  keys: [
    [['←', '→'], 'Move between hours'],
    [['Enter'], 'Open the threats of the hour'],
  ],
};

export const THREAT_LIST_KEYS: KeyGroup = {
  title: 'In the table of threats',
  keys: [
    [['F'], 'Filter by a value of the row'],
    [['Space'], 'Select the row'],
    [['A'], 'Acknowledge the selection, or the row'],
    [['E'], 'Escalate the selection, or the row'],
    [['C'], 'Comment on the selection, or the row'],
    [['P'], 'Pause or resume'],
  ],
};

export const THREAT_KEYS: KeyGroup = {
  title: 'On this threat',
  keys: [
    [['A'], 'Acknowledge, or undo it'],
    [['E'], 'Escalate, or undo it'],
    [['C'], 'Comment'],
    [['Ctrl+Enter'], 'Send the comment'],
    [['X'], 'Make an exception'],
    [['K'], 'Go to the newer threat'],
    [['J'], 'Go to the older threat'],
  ],
};

export const FLOW_LIST_KEYS: KeyGroup = {
  title: 'In the table of flows',
  keys: [
    [['F'], 'Filter by a value of the row'],
    [['P'], 'Pause or resume'],
  ],
};

export const RULE_LIST_KEYS: KeyGroup = {title: 'In the table of rules', keys: [[['Space'], 'Select the rule']]};
