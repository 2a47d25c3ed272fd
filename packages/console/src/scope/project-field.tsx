// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {ScopeField, toast} from '../ui/index.ts';
import {whyNotProject} from './scope.ts';
import {shownPart} from './use-scope.ts';

export type ProjectFieldProps = {
  /** From the address: `P` or `P/L`; '' and `-` are all. */
  readonly value: string;
  /** '' is all. */
  readonly onChange: (project: string) => void;
};

/** The API has no list of projects: users enter one. */
export const ProjectField = ({value, onChange}: ProjectFieldProps): ReactNode => (
  <ScopeField
    label="Project"
    placeholder="All projects"
    value={shownPart(value)}
    onChange={typed => {
      const why = whyNotProject(typed);
      if (why === undefined) onChange(typed);
      else toast('bad', why);
    }}
  />
);
