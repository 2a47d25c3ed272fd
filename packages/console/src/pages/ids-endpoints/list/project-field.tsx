// SPDX-License-Identifier: Apache-2.0
import {type ReactNode, useEffect, useState} from 'react';
import {TextInput} from '../../../ui/index.ts';

/** There is no list of projects: people type the id; Enter or leaving the field takes it. */
export function ProjectField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (project: string) => void;
}): ReactNode {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const send = (): void => {
    if (typed.trim() !== value) onChange(typed.trim());
  };
  return (
    <TextInput
      label="Project"
      hideLabel
      placeholder="All projects"
      value={typed}
      size={16}
      onChange={event => setTyped(event.target.value)}
      onBlur={send}
      onKeyDown={event => {
        if (event.key === 'Enter') send();
      }}
    />
  );
}
