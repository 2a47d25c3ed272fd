// SPDX-License-Identifier: Apache-2.0
import {type ReactNode, useEffect, useRef, useState} from 'react';
import {CloseIcon, SearchIcon} from '../base/icons.tsx';
import {TextInput} from './field.tsx';
import css from './form.module.css';

/** The `/` key puts the focus on the element with this attribute. */
const PAGE_FILTER = {'data-page-filter': ''} as const;
/** A pause in typing, in milliseconds, before the page filters. */
const PAUSE_MS = 120;

export type FilterChip = {readonly id: string; readonly text: string; readonly onRemove: () => void};

export type FilterBarProps = {
  /** What is searched, for screen readers: `Search endpoints`. */
  readonly label: string;
  readonly placeholder?: string;
  /** From the URL. */
  readonly value: string;
  /** Into the URL, after a pause in typing or Enter. */
  readonly onChange: (value: string) => void;
  /** The user ended these words, by Enter, a space, a comma, or by leaving the field: returns the text that remains after chips were made of it. */
  readonly onEnd?: (words: string) => string;
  readonly chips?: readonly FilterChip[];
  /** A button right of the search field. */
  readonly beside?: ReactNode;
  /** Further controls: Select, Checkbox, Button. */
  readonly children?: ReactNode;
};

/** The search field of a page with its further filters; the `/` key goes to it, Escape empties it. */
export function FilterBar(props: FilterBarProps): ReactNode {
  const {label, placeholder, value, onChange, onEnd, chips = [], beside, children} = props;
  return (
    <div className={css['bar']} role="search" aria-label={label}>
      <div className={css['searchRow']}>
        <SearchField {...{label, value, onChange, onEnd}} placeholder={placeholder ?? label} />
        {beside}
      </div>
      {children}
      {chips.map(({id, text, onRemove}) => (
        <span key={id} className={css['chip']}>
          <span>{text}</span>
          <button type="button" aria-label={`Remove filter ${text}`} onClick={onRemove}>
            <CloseIcon />
          </button>
        </span>
      ))}
    </div>
  );
}

type SearchFieldProps = Pick<FilterBarProps, 'label' | 'value' | 'onChange'> & {
  readonly onEnd: FilterBarProps['onEnd'];
  readonly placeholder: string;
};

function SearchField({label, placeholder, value, onChange, onEnd}: SearchFieldProps): ReactNode {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    if (value !== sent.current) setTyped(value); // back and forward in the browser
    sent.current = value;
  }, [value]);
  const send = (text: string): void => {
    if (text === sent.current) return;
    sent.current = text;
    onChange(text);
  };
  /** What remains of ended words; it is in the URL already, with the chips. */
  const end = (words: string): string => {
    if (onEnd === undefined) return words;
    const rest = onEnd(words);
    if (rest !== words) sent.current = rest;
    return rest;
  };
  const type = (text: string): void => {
    const [, ended = '', open = ''] = /^(.*[\s,])(.*)$/.exec(text) ?? [];
    const rest = ended === '' ? '' : end(ended);
    setTyped(rest === ended ? text : `${rest}${rest === '' ? '' : ' '}${open}`);
  };
  const endAll = (): void => {
    const rest = end(typed);
    setTyped(rest);
    send(rest);
  };
  useEffect(() => {
    const timer = setTimeout(() => send(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <div className={css['search']}>
      <span className={css['searchIcon']}>
        <SearchIcon />
      </span>
      <TextInput
        {...PAGE_FILTER}
        type="search"
        label={label}
        hideLabel
        placeholder={placeholder}
        value={typed}
        onChange={event => type(event.target.value)}
        // Not where the window alone loses the focus.
        onBlur={onEnd && (event => document.activeElement !== event.currentTarget && endAll())}
        onKeyDown={event => {
          if (event.key === 'Enter') endAll();
          if (event.key === 'Escape') setTyped('');
        }}
      />
      {typed === '' && (
        <span className={css['searchKey']} aria-hidden="true">
          <kbd>/</kbd>
        </span>
      )}
    </div>
  );
}
