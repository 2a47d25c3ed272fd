// SPDX-License-Identifier: Apache-2.0
/** Chooses a namespace. */
import {useQuery} from '@tanstack/react-query';
import {type ReactNode, useMemo} from 'react';
import {isForbidden, useApi} from '../api/index.ts';
import {ScopeField, Select} from '../ui/index.ts';

/** `names`: all that the user may list, sorted; undefined before the answer, and where it is refused. */
export function useNamespaceNames(): {readonly names: readonly string[] | undefined; readonly isRefused: boolean} {
  const {kube} = useApi();
  const {data, error} = useQuery({
    queryKey: ['namespaces'],
    queryFn: ({signal}) => kube.namespaces.list('', {metadataOnly: true, signal}),
  });
  const names = useMemo(() => data?.items.map(({metadata}) => metadata?.name ?? '').sort(), [data]);
  return {names, isRefused: isForbidden(error)};
}

export type NamespaceFieldProps = {
  /** '' is all. */
  readonly value: string;
  readonly onChange: (namespace: string) => void;
};

export function NamespaceSelect({
  names,
  value,
  onChange,
}: NamespaceFieldProps & {readonly names: readonly string[]}): ReactNode {
  const known = value === '' || names.includes(value) ? names : [...names, value];
  return (
    <Select
      label="Namespace"
      hideLabel
      value={value}
      onChange={event => onChange(event.target.value)}
      options={[{value: '', label: 'All namespaces'}, ...known.map(one => ({value: one, label: one}))]}
    />
  );
}

/** Users who may not list namespaces enter one. */
export function NamespaceField(props: NamespaceFieldProps): ReactNode {
  const {names, isRefused} = useNamespaceNames();
  if (isRefused) return <ScopeField {...props} label="Namespace" placeholder="All namespaces" />;
  return <NamespaceSelect {...props} names={names ?? []} />;
}
