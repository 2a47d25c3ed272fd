// SPDX-License-Identifier: Apache-2.0
import {fieldNames, THREAT_LIST} from '@palisade/ids-wire';
import type {ReactNode} from 'react';
import css from '../../../records/filter.module.css';
import {Button, Dialog} from '../../../ui/index.ts';

const EXAMPLES: readonly (readonly [filter: string, meaning: string])[] = [
  ['sql injection', 'both words, in any text of the threat'],
  ['"sql injection"', 'these words in this order'],
  ['alert_severity>=HIGH', 'high and critical ones'],
  ['source_ip_address=10.0.0.0/8', 'an address or a block'],
  ['name:"scan" OR name:"probe"', 'a part of a text; either of two'],
  ['-destination_port=443', 'not this; NOT does the same'],
  ['acknowledged=false', 'those that nobody has acknowledged'],
  ['cves:"CVE-2021-44228"', 'an element of a list'],
  ['repeat_count>100', 'numbers have an order'],
];

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['F', 'filter by a value of the row'],
  ['Space', 'select the row'],
  ['Enter', 'open the threat'],
  ['A', 'acknowledge the selection, or the row'],
  ['E', 'escalate it'],
  ['C', 'comment on it'],
  ['P', 'pause or resume'],
];

export type FilterHelpProps = {readonly onClose: () => void; readonly onUse: (filter: string) => void};

export function FilterHelp({onClose, onUse}: FilterHelpProps): ReactNode {
  return (
    <Dialog open wide onOpenChange={open => !open && onClose()} title="Search threats">
      <div className={css['help']}>
        <section>
          <h3>Examples</h3>
          <dl>
            {EXAMPLES.map(([filter, meaning]) => (
              <div key={filter}>
                <dt>
                  <Button small onClick={() => onUse(filter)} className={css['example']}>
                    <code>{filter}</code>
                  </Button>
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h3>Keys in the table</h3>
          <dl>
            {KEYS.map(([key, does]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h3>Fields</h3>
          <p className={css['fields']}>
            {[...fieldNames(THREAT_LIST)].sort().map(name => (
              <code key={name}>{name}</code>
            ))}
          </p>
        </section>
      </div>
    </Dialog>
  );
}
