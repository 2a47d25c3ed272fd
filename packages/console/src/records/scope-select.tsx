// SPDX-License-Identifier: Apache-2.0
/** Which endpoints: all that the user may read, those of a location, or one. */
import {useQuery} from '@tanstack/react-query';
import {type ReactNode, useMemo, useState} from 'react';
import {isForbidden, useApi} from '../api/index.ts';
import {Select, type SelectOption, TextInput} from '../ui/index.ts';
import css from './filter.module.css';
import {EVERYWHERE} from './scope.ts';

/** Enough to choose from. */
const ENDPOINTS_MAX = 1_000;
const FRESH_MS = 30_000;

/** All, then each location with several endpoints, then each endpoint. */
export function scopeOptions(names: readonly string[], chosen: string): SelectOption[] {
  const locations = Map.groupBy(names, name => name.split('/').slice(0, 4).join('/'));
  const short = (name: string): string => {
    const [, project, , location, , id] = name.split('/');
    return `${id} (${project}/${location})`;
  };
  const options = [
    ...[...locations].flatMap(([location, {length}]) =>
      length < 2
        ? []
        : [{value: `${location}/endpoints/-`, label: `All of ${location.split('/')[1]}/${location.split('/')[3]}`}],
    ),
    ...names.map(value => ({value, label: short(value)})),
  ];
  const all = {value: EVERYWHERE, label: 'All endpoints'};
  const isKnown = chosen === EVERYWHERE || options.some(({value}) => value === chosen);
  return [all, ...(isKnown ? [] : [{value: chosen, label: chosen}]), ...options];
}

export type ScopeSelectProps = {readonly value: string; readonly onChange: (name: string) => void};

export function ScopeSelect({value, onChange}: ScopeSelectProps): ReactNode {
  const {ids} = useApi();
  const project = value.split('/')[1] ?? '-';
  const list = useQuery({
    queryKey: ['threat-scopes', project],
    staleTime: FRESH_MS,
    queryFn: ({signal}) => ids.listEndpoints(`projects/${project}/locations/-`, {pageSize: ENDPOINTS_MAX, signal}),
  });
  const names = useMemo(() => (list.data?.endpoints ?? []).flatMap(({name}) => name ?? []).sort(), [list.data]);
  const options = useMemo(() => scopeOptions(names, value), [names, value]);
  const needsProject = isForbidden(list.error) && project === '-';
  return (
    <>
      <span className={css['scopeSelect']}>
        <Select
          label="IDS endpoint"
          hideLabel
          value={value}
          options={options}
          onChange={event => onChange(event.target.value)}
        />
      </span>
      {needsProject && <ProjectField onChange={id => onChange(`projects/${id}/locations/-/endpoints/-`)} />}
    </>
  );
}

/** There is no list of projects: users who may not read all of them name one. */
export function ProjectField({onChange}: {readonly onChange: (project: string) => void}): ReactNode {
  const [typed, setTyped] = useState('');
  const id = typed.trim();
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        if (/^[\w.:-]+$/.test(id)) onChange(id);
      }}
    >
      <TextInput
        label="Project"
        hideLabel
        placeholder="Project, then Enter"
        value={typed}
        onChange={event => setTyped(event.target.value)}
      />
    </form>
  );
}
