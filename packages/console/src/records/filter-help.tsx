// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {Button, Dialog, type KeyHelp, KeyList} from '../ui/index.ts';
import css from './filter.module.css';

export type FilterHelpProps = {
  /** `Search threats`. */
  readonly title: string;
  readonly examples: readonly (readonly [filter: string, meaning: string])[];
  readonly keys: readonly KeyHelp[];
  readonly fields: readonly string[];
  readonly onClose: () => void;
  readonly onUse: (filter: string) => void;
};

/** How to search records: examples that can be used, keys and all fields. */
export function FilterHelp({title, examples, keys, fields, onClose, onUse}: FilterHelpProps): ReactNode {
  return (
    <Dialog open wide onOpenChange={open => !open && onClose()} title={title}>
      <div className={css['help']}>
        <section>
          <h3>Examples</h3>
          <dl>
            {examples.map(([filter, meaning]) => (
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
          <KeyList keys={keys} />
        </section>
        <section>
          <h3>Fields</h3>
          <p className={css['fields']}>
            {fields.toSorted().map(name => (
              <code key={name}>{name}</code>
            ))}
          </p>
        </section>
      </div>
    </Dialog>
  );
}
