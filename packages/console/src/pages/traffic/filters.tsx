// SPDX-License-Identifier: Apache-2.0
/** What the page looks at: the text of the filter, time, endpoints, and the file of all that. */
import {exportPath} from '@palisade/client/browser';
import {fieldNames, TRAFFIC_LIST} from '@palisade/ids-wire';
import {type ReactNode, useState} from 'react';
import css from '../../records/filter.module.css';
import {FilterHelp} from '../../records/filter-help.tsx';
import {RangeMenu, rangeText} from '../../records/range-menu.tsx';
import {isAbsolute, type RangeSearch} from '../../records/time-range.ts';
import {EndpointSelect} from '../../scope/endpoint-select.tsx';
import {Button, FilterBar, IconButton, icons, Menu} from '../../ui/index.ts';

export type FiltersProps = {
  readonly filter: string;
  readonly error: string | undefined;
  readonly scope: string;
  readonly range: RangeSearch;
  readonly onFilter: (filter: string) => void;
  readonly onScope: (name: string) => void;
  readonly onRange: (range: RangeSearch) => void;
  readonly exportFile: (format: 'csv' | 'ndjson') => void;
};

export function Filters(props: FiltersProps): ReactNode {
  const {filter, error, scope, range, onFilter, onScope, onRange, exportFile} = props;
  const [isHelpShown, setHelpShown] = useState(false);
  const chips = isAbsolute(range)
    ? [{id: 'range', text: rangeText(range), onRemove: () => onRange({...range, from: '', to: ''})}]
    : [];
  return (
    <div className={css['filters']}>
      <FilterBar
        label="Filter traffic"
        placeholder="Words, or destination_port=443 AND total_bytes>1000000"
        value={filter}
        onChange={onFilter}
        chips={chips}
      >
        <IconButton label="How to search" icon={<span aria-hidden="true">?</span>} onClick={() => setHelpShown(true)} />
        <RangeMenu range={range} onChange={onRange} />
        <EndpointSelect value={scope} onChange={onScope} />
        <Menu
          trigger={<Button icon={<icons.DownloadIcon />}>Export</Button>}
          groups={[
            {
              title: 'All flows of this filter and time',
              items: (['csv', 'ndjson'] as const).map(format => ({
                label: format.toUpperCase(),
                whyDisabled: error === undefined ? undefined : 'Correct the filter first',
                onSelect: () => exportFile(format),
              })),
            },
          ]}
        />
      </FilterBar>
      <p role="alert" className={css['error']}>
        {error === undefined ? '' : `The filter is not used yet: ${error}`}
      </p>
      {isHelpShown && (
        <FilterHelp
          title="Search traffic"
          {...{examples: EXAMPLES, keys: KEYS, fields: FIELDS}}
          onClose={() => setHelpShown(false)}
          onUse={example => {
            onFilter(example);
            setHelpShown(false);
          }}
        />
      )}
    </div>
  );
}

const EXAMPLES: readonly (readonly [filter: string, meaning: string])[] = [
  ['source_ip_address=10.0.0.0/8', 'an address or a block'],
  ['total_bytes>1000000', 'more than a megabyte; numbers have an order'],
  ['application=tls AND destination_port!=443', 'both; TLS on another port'],
  ['ip_protocol=udp OR ip_protocol=icmp', 'either of two'],
  ['-application=dns', 'not this; NOT does the same'],
  ['elapsed_time>=3600', 'flows of an hour and more'],
];
const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['Enter', 'open the flow'],
  ['F', 'filter by a value of the row'],
  ['P', 'pause or resume'],
];

const FIELDS = fieldNames(TRAFFIC_LIST);

/** The browser loads it as a file; the server streams it. */
export function download(scope: string, options: Parameters<typeof exportPath>[2]): void {
  const link = document.createElement('a');
  link.href = exportPath(scope, 'traffic', options);
  link.download = `traffic.${options.format}`;
  link.click();
}
