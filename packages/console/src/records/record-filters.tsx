// SPDX-License-Identifier: Apache-2.0
/** What a page of records looks at: the text of the filter, time, endpoints, and the file of all that. */
import {exportPath} from '@palisade/client/browser';
import type {RecordKind} from '@palisade/ids-wire';
import {type ReactNode, useState} from 'react';
import {wallClock} from '../clock.ts';
import type {SetSearch} from '../routing/use-search-state.ts';
import {EndpointSelect} from '../scope/endpoint-select.tsx';
import {keepScope} from '../scope/use-scope.ts';
import {Button, cx, FilterBar, IconButton, icons, Menu, useIsNarrow} from '../ui/index.ts';
import css from './filter.module.css';
import {FilterHelp, type FilterHelpProps} from './filter-help.tsx';
import {RangeMenu} from './range-menu.tsx';
import {boundsOf, type RangeSearch} from './time-range.ts';
import {WHY_FAULTY} from './use-good-filter.ts';
import type {RecordQuery} from './use-record-feed.ts';

export type RecordFiltersProps = {
  readonly kind: RecordKind;
  /** What one row is: `threats`, `flows`. */
  readonly rows: string;
  readonly placeholder: string;
  readonly help: Pick<FilterHelpProps, 'examples' | 'keys' | 'fields'>;
  /** The filter as it is typed, and what is wrong with it. */
  readonly filter: string;
  readonly fault: string | undefined;
  readonly query: RecordQuery;
  readonly look: SetSearch<RangeSearch & {readonly q: string; readonly in: string}>;
  /** A menu of frequent terms. */
  readonly terms?: ReactNode;
  /** Further controls. */
  readonly children?: ReactNode;
};

export function RecordFilters(props: RecordFiltersProps): ReactNode {
  const {kind, rows, placeholder, help, filter, fault, query, look, terms, children} = props;
  const {name, range} = query;
  const isNarrow = useIsNarrow();
  const [isHelpShown, setHelpShown] = useState(false);
  return (
    <div className={css['filters']}>
      <FilterBar
        label={`Filter ${kind}`}
        placeholder={placeholder}
        value={filter}
        onChange={q => look({q})}
        beside={
          <IconButton
            kind="default"
            label="How to search"
            icon={<span aria-hidden="true">?</span>}
            onClick={() => setHelpShown(true)}
          />
        }
      >
        {terms}
        <RangeMenu range={range} onChange={next => look(next, {push: true})} />
        <EndpointSelect
          value={name}
          onChange={next => {
            keepScope({in: next});
            look({in: next});
          }}
        />
        {children}
        <Menu
          trigger={
            <Button icon={<icons.DownloadIcon />}>
              {/* Without the word the controls fit into two lines. */}
              <span className={cx(isNarrow && 'sr-only')}>Export</span>
            </Button>
          }
          groups={[
            {
              title: `All ${rows} of this filter and time`,
              items: FORMATS.map(format => ({
                label: format.toUpperCase(),
                whyDisabled: fault === undefined ? undefined : WHY_FAULTY,
                onSelect: () => download(kind, query, format),
              })),
            },
          ]}
        />
      </FilterBar>
      <p role="alert" className={css['error']}>
        {fault === undefined ? '' : `The filter is not used yet: ${fault}`}
      </p>
      {isHelpShown && (
        <FilterHelp
          title={`Search ${kind}`}
          {...help}
          onClose={() => setHelpShown(false)}
          onUse={example => {
            look({q: example});
            setHelpShown(false);
          }}
        />
      )}
    </div>
  );
}

const FORMATS = ['csv', 'ndjson'] as const;

/** The browser loads it as a file; the server streams it. */
function download(kind: RecordKind, {name, filter, range}: RecordQuery, format: (typeof FORMATS)[number]): void {
  const link = document.createElement('a');
  link.href = exportPath(name, kind, {format, filter, ...boundsOf(range, wallClock())});
  link.download = `${kind}.${format}`;
  link.click();
}
