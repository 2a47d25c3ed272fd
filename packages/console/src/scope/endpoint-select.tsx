// SPDX-License-Identifier: Apache-2.0
/** Selects all IDS endpoints that the user may read, those of a location, or one. */
import {useQuery} from '@tanstack/react-query';
import {type ReactNode, useMemo} from 'react';
import {isForbidden, useApi} from '../api/index.ts';
import {Select, type SelectOption} from '../ui/index.ts';
import css from './endpoint-select.module.css';
import {ProjectField} from './project-field.tsx';
import {EVERYWHERE, endpointsOf, locationOf} from './scope.ts';

/** Enough to choose from. */
const ENDPOINTS_MAX = 1_000;
const FRESH_MS = 30_000;

/** All, then each location with several endpoints, then each endpoint. */
function endpointOptions(names: readonly string[], chosen: string): SelectOption[] {
  const locations = Map.groupBy(names, locationOf);
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
  const all = {value: EVERYWHERE, label: 'All IDS endpoints'};
  const isKnown = chosen === EVERYWHERE || options.some(({value}) => value === chosen);
  return [all, ...(isKnown ? [] : [{value: chosen, label: chosen}]), ...options];
}

export type EndpointSelectProps = {readonly value: string; readonly onChange: (name: string) => void};

export function EndpointSelect({value, onChange}: EndpointSelectProps): ReactNode {
  const {ids} = useApi();
  const project = value.split('/')[1] ?? '-';
  const list = useQuery({
    queryKey: ['endpoint-options', project],
    staleTime: FRESH_MS,
    queryFn: ({signal}) => ids.listEndpoints(`projects/${project}/locations/-`, {pageSize: ENDPOINTS_MAX, signal}),
  });
  const names = useMemo(() => (list.data?.endpoints ?? []).flatMap(({name}) => name ?? []).sort(), [list.data]);
  const options = useMemo(() => endpointOptions(names, value), [names, value]);
  const needsProject = isForbidden(list.error) && project === '-';
  return (
    <>
      <span className={css['select']}>
        <Select
          label="IDS endpoint"
          hideLabel
          value={value}
          options={options}
          onChange={event => onChange(event.target.value)}
        />
      </span>
      {needsProject && <ProjectField value="" onChange={project => onChange(endpointsOf(project))} />}
    </>
  );
}
