// SPDX-License-Identifier: Apache-2.0
/** What the page looks at: the text of the filter, frequent terms, time, endpoints, and the file of all that. */
import {exportPath} from '@palisade/client/browser';
import {type ReactNode, useState} from 'react';
import css from '../../../records/filter.module.css';
import {hasTerm, toggleTerm} from '../../../records/filter-edit.ts';
import {FilterIcon} from '../../../records/filter-icon.tsx';
import {RangeMenu, rangeText} from '../../../records/range-menu.tsx';
import {isAbsolute, type RangeSearch} from '../../../records/time-range.ts';
import {EndpointSelect} from '../../../scope/endpoint-select.tsx';
import {Button, FilterBar, IconButton, icons, Menu} from '../../../ui/index.ts';
import {ThreatFilterHelp} from './filter-help.tsx';

type Frequent = {readonly label: string; readonly term: string};
const LEAST: readonly Frequent[] = [
  {label: 'Critical', term: 'alert_severity=CRITICAL'},
  {label: 'High and above', term: 'alert_severity>=HIGH'},
  {label: 'Medium and above', term: 'alert_severity>=MEDIUM'},
];
const STATES: readonly Frequent[] = [
  {label: 'Not acknowledged', term: 'acknowledged=false'},
  {label: 'Acknowledged', term: 'acknowledged=true'},
  {label: 'Escalated', term: 'escalated=true'},
];

export type FiltersProps = {
  readonly filter: string;
  readonly error: string | undefined;
  readonly scope: string;
  readonly range: RangeSearch;
  readonly onFilter: (filter: string) => void;
  readonly onScope: (name: string) => void;
  readonly onRange: (range: RangeSearch) => void;
  readonly exportFile: (format: 'csv' | 'ndjson') => void;
  readonly whyNoExport: string | undefined;
  readonly children: ReactNode;
};

export function Filters(props: FiltersProps): ReactNode {
  const {filter, error, scope, range, onFilter, onScope, onRange, exportFile, whyNoExport} = props;
  const [isHelpShown, setHelpShown] = useState(false);
  const group = (title: string, all: readonly Frequent[]) => ({
    title,
    items: all.map(({label, term}) => ({
      label,
      checked: hasTerm(filter, term),
      onSelect: () =>
        onFilter(
          toggleTerm(
            filter,
            term,
            all.map(other => other.term),
          ),
        ),
    })),
  });
  const chips = isAbsolute(range)
    ? [{id: 'range', text: rangeText(range), onRemove: () => onRange({...range, from: '', to: ''})}]
    : [];
  return (
    <div className={css['filters']}>
      <FilterBar
        label="Filter threats"
        placeholder="Words, or alert_severity>=HIGH AND source_ip_address=10.0.0.0/8"
        value={filter}
        onChange={onFilter}
        chips={chips}
      >
        <IconButton label="How to search" icon={<span aria-hidden="true">?</span>} onClick={() => setHelpShown(true)} />
        <Menu
          trigger={<Button icon={<FilterIcon />}>Filters</Button>}
          groups={[group('Severity', LEAST), group('State', STATES)]}
        />
        <RangeMenu range={range} onChange={onRange} />
        <EndpointSelect value={scope} onChange={onScope} />
        {props.children}
        <Menu
          trigger={<Button icon={<icons.DownloadIcon />}>Export</Button>}
          groups={[
            {
              title: 'All threats of this filter and time',
              items: (['csv', 'ndjson'] as const).map(format => ({
                label: format.toUpperCase(),
                whyDisabled: whyNoExport,
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
        <ThreatFilterHelp
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

/** The browser loads it as a file; the server streams it. */
export function download(scope: string, options: Parameters<typeof exportPath>[2]): void {
  const link = document.createElement('a');
  link.href = exportPath(scope, 'threats', options);
  link.download = `threats.${options.format}`;
  link.click();
}
