// SPDX-License-Identifier: Apache-2.0
import {type ReactNode, useEffect, useState} from 'react';
import {TextInput} from './field.tsx';

export type ScopeFieldProps = {
  /** `Project`. */
  readonly label: string;
  /** What '' means: `All projects`. */
  readonly placeholder: string;
  /** From the URL. */
  readonly value: string;
  readonly onChange: (value: string) => void;
};

/** A part of the estate that users name, because the API has no list of them or they may not read it. Enter or leaving the field takes it. */
export function ScopeField({label, placeholder, value, onChange}: ScopeFieldProps): ReactNode {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const send = (): void => {
    if (typed.trim() !== value) onChange(typed.trim());
  };
  return (
    <TextInput
      label={label}
      hideLabel
      title={label}
      placeholder={placeholder}
      value={typed}
      size={16}
      onChange={event => setTyped(event.target.value)}
      onBlur={send}
      onKeyDown={event => {
        if (event.key === 'Enter') send();
        if (event.key === 'Escape') setTyped(value);
      }}
    />
  );
}
