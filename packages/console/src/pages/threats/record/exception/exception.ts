// SPDX-License-Identifier: Apache-2.0
/** Exceptions of an endpoint: rules whose alerts it hides, whatever their source and destination. */

import type {RecordOf} from '@palisade/client/browser';
import {parseThreatId, type TriedExceptions} from '@palisade/ids-wire';
import {quoted} from '../../../../records/filter-edit.ts';
import type {RowField} from '../../../../records/row-field.ts';
import {numberText} from '../../../../ui/data/number-text.ts';

const canonical = (text: string): string => {
  const id = parseThreatId(text);
  return id === undefined ? text : `${id.gid}:${id.sid}`;
};

/** Whether a list has a rule, also as `sid` alone. */
export const hasException = (list: readonly string[], threatId: string): boolean =>
  list.some(each => canonical(each) === canonical(threatId));

/** The list with the rule; the same list if it is there. */
export const withException = (list: readonly string[], threatId: string): readonly string[] =>
  hasException(list, threatId) ? list : [...list, threatId];

export const EXCEPTIONS_MAX = 99;

/** Parts of the alerts that an exception would hide. */
export type Share = {readonly id: string; readonly title: string; readonly filter: string};

export type ExceptionSubject = {
  /** Full resource name of the IDS endpoint. */
  readonly endpoint: string;
  readonly threatId: string;
  /** The message of the rule. */
  readonly name: string;
  /** Of the alert that is shown. */
  readonly source?: string | undefined;
  readonly destination?: string | undefined;
};

/** Whether values name a threat, of which an exception can be made. */
export const hasThreat = (fields: readonly RowField[]): boolean => fields.some(({term}) => term.path === 'threat_id');

export const subjectOf = (threat: RecordOf<'threats'>): ExceptionSubject => ({
  endpoint: threat.endpoint,
  threatId: threat.threat_id,
  name: threat.name,
  source: threat.source_ip_address,
  destination: threat.destination_ip_address,
});

/** From all alerts of the rule to those of one source and one destination. */
export function sharesOf({threatId, source, destination}: ExceptionSubject): readonly Share[] {
  const rule = `threat_id=${quoted(threatId)}`;
  const from = source === undefined ? '' : `source_ip_address=${quoted(source)}`;
  const to = destination === undefined ? '' : `destination_ip_address=${quoted(destination)}`;
  const shares: Share[] = [{id: 'rule', title: `Rule ${threatId}`, filter: rule}];
  if (from !== '') shares.push({id: 'source', title: `Rule ${threatId} from ${source}`, filter: `${rule} AND ${from}`});
  if (to !== '')
    shares.push({id: 'destination', title: `Rule ${threatId} to ${destination}`, filter: `${rule} AND ${to}`});
  if (from !== '' && to !== '')
    shares.push({
      id: 'both',
      title: `Rule ${threatId} from ${source} to ${destination}`,
      filter: `${rule} AND ${from} AND ${to}`,
    });
  return shares;
}

/** All but the alerts of the narrowest share. */
export const excludingFilter = (shares: readonly Share[]): string => `NOT (${shares.at(-1)?.filter ?? ''})`;

/** `Would have hidden 3 of the last 8 alerts`. `alerts`: not 0. */
export function hiddenText({hidden, alerts}: Pick<TriedExceptions, 'hidden' | 'alerts'>): string {
  if (alerts > 1) return `Would have hidden ${numberText(hidden)} of the last ${numberText(alerts)} alerts`;
  return `Would have hidden ${hidden === 1 ? 'the only stored alert' : 'nothing: the only stored alert does not match'}`;
}

/** `3 of the last 8 alerts are of this rule`: those that were stored before the exception. `alerts`: not 0. */
function ofRuleText({hidden, alerts}: Pick<TriedExceptions, 'hidden' | 'alerts'>): string {
  if (alerts === 1) return `The only stored alert is of ${hidden === 1 ? 'this' : 'another'} rule`;
  return `${numberText(hidden)} of the last ${numberText(alerts)} alerts ${hidden === 1 ? 'is' : 'are'} of this rule`;
}

/** `Would have hidden 3 of the last 8 alerts (38%)`. `isThere`: the exception is in force, and hides nothing that is stored. */
export function previewText(tried: Pick<TriedExceptions, 'hidden' | 'alerts'>, isThere: boolean): string {
  const {hidden, alerts: all} = tried;
  if (all === 0) return isThere ? 'No alerts are stored' : 'No alerts are stored, so its effect is not known';
  const percent = (hidden / all) * 100;
  const share = hidden > 0 && percent < 1 ? 'less than 1' : String(Math.round(percent));
  const text = isThere ? ofRuleText(tried) : hiddenText(tried);
  return all === 1 ? text : `${text} (${share}%)`;
}
