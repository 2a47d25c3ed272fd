// SPDX-License-Identifier: Apache-2.0
/** A list in a form that is not there as bytes: of other objects than the stored ones, indented, or as YAML. Made in steps. */
import {prettyJson, unclassifiedStatus} from '@palisade/kube-wire';
import {jsonToYaml, yamlFault} from '@palisade/kube-wire/yaml';
import {StatusError} from '../base/status-error.ts';
import type {CachedObject} from '../cache/cached-object.ts';
import {NOTHING_YET, type Steps} from './list-body.ts';

export type ListText = {
  /** The JSON of the list, up to the `[` of its items. */
  readonly start: string;
  readonly field: 'items' | 'rows';
  /** The JSON of one item. */
  readonly itemOf: (object: CachedObject) => string;
  /** There is at least one. */
  readonly steps: Steps;
};

export type ListForm = 'compact' | 'indented' | 'yaml';

type Layout = {
  readonly open: string;
  readonly item: (json: string) => string;
  readonly between: string;
  readonly close: string;
};

/** What an indented item has in front of its lines. */
const INDENT = '\n    ';

const LAYOUTS: Record<ListForm, (list: ListText) => Layout> = {
  compact: ({start}) => ({open: start, item: json => json, between: ',', close: ']}\n'}),
  indented: ({start}) => ({
    open: prettyJson(`${start}]}`).slice(0, -']\n}'.length) + INDENT,
    item: json => prettyJson(json).replaceAll('\n', INDENT),
    between: `,${INDENT}`,
    close: '\n  ]\n}',
  }),
  yaml: ({start, field}) => {
    const none = `\n${field}: []\n`; // behind `apiVersion`
    const [open = '', close = ''] = jsonToYaml(`${start}]}`).split(none);
    return {open: `${open}\n${field}:\n`, item: json => jsonToYaml(`[${json}]`), between: '', close};
  },
};

/** The text of the list. Throws StatusError 500, before the first piece, for what cannot be written as YAML. */
export function* listText(list: ListText, form: ListForm): Generator<Buffer> {
  const {open, item, between, close} = LAYOUTS[form](list);
  const {itemOf, steps} = list;
  if (form === 'yaml') {
    for (const step of steps) {
      for (const object of step) refuseFault(yamlFault(itemOf(object)));
      yield NOTHING_YET;
    }
  }
  let made = '';
  for (const step of steps) {
    if (made !== '') yield Buffer.from(made);
    const texts = step.map(object => item(itemOf(object))).join(between);
    made = `${made === '' ? open : between}${texts}`;
  }
  yield Buffer.from(`${made}${close}`);
}

const refuseFault = (fault: string | undefined): void => {
  if (fault !== undefined) throw new StatusError(unclassifiedStatus(fault));
};
