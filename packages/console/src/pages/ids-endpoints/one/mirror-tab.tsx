// SPDX-License-Identifier: Apache-2.0
/** The commands that mirror traffic to the endpoint, to copy. */
import type {IdsEndpoint} from '@palisade/client/browser';
import type {MirrorSetUp} from '@palisade/ids-wire';
import {keepPreviousData, useQuery} from '@tanstack/react-query';
import {type ReactNode, useEffect, useState} from 'react';
import {errorText, useApi} from '../../../api/index.ts';
import type {SetSearch} from '../../../routing/use-search-state.ts';
import {
  CodeBlock,
  CopyButton,
  EmptyState,
  ErrorState,
  KeyValueList,
  Loading,
  Section,
  Tabs,
  TextInput,
} from '../../../ui/index.ts';
import css from '../ids-endpoints.module.css';
import {scriptText, sentence} from '../model/mirror-text.ts';
import {type OneSearch, TARGETS} from '../model/one-search.ts';

const TITLES: Readonly<Record<(typeof TARGETS)[number], string>> = {linux: 'Linux', aws: 'AWS', gcp: 'Google Cloud'};

type MirrorTabProps = {
  readonly name: string;
  readonly endpoint: IdsEndpoint;
  readonly search: OneSearch;
  readonly setSearch: SetSearch<OneSearch>;
};

function useSetUp(name: string, from: string, isEnabled: boolean) {
  const {ids} = useApi();
  return useQuery({
    queryKey: ['ids-mirror', name, from],
    queryFn: ({signal}) => ids.getMirrorSetUp(name, {target: 'all', from, signal}),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  });
}

export function MirrorTab({name, endpoint, search, setSearch}: MirrorTabProps): ReactNode {
  const isCreating = endpoint.state === 'CREATING';
  const {data, error, refetch} = useSetUp(name, search.from, !isCreating);
  if (isCreating)
    return <EmptyState title="The endpoint has no address yet" text="The set-up appears here when it is ready." />;
  if (data === undefined)
    return error === null ? (
      <Loading label="Loading the set-up" rows={10} />
    ) : (
      <ErrorState title="The set-up cannot be shown" text={errorText(error)} onRetry={() => void refetch()} />
    );
  const tabs = TARGETS.flatMap(id => {
    const setUp = data.targets[id];
    const place = id === 'linux' && <FromField from={search.from} onChange={from => setSearch({from})} error={error} />;
    return setUp === undefined ? [] : [{id, label: TITLES[id], content: <SetUp setUp={setUp}>{place}</SetUp>}];
  });
  return (
    <Section title="Mirror traffic to this endpoint">
      <KeyValueList
        pairs={[
          [
            'Send VXLAN to',
            <span key="ip" className={css['copied']}>
              <span className="num">{data.endpointIp}, UDP port 4789</span>
              <CopyButton text={data.endpointIp} label="Copy the address" />
            </span>,
          ],
          [
            'VNI',
            <span key="vni" className="num">
              {data.vni}
            </span>,
          ],
        ]}
      />
      <div className={css['below']}>
        <Tabs
          label="Platform"
          tabs={tabs}
          value={search.target}
          onChange={target => setSearch({target: target as OneSearch['target']})}
        />
      </div>
    </Section>
  );
}

type FromFieldProps = {
  readonly from: string;
  readonly onChange: (from: string) => void;
  readonly error: unknown;
};

function FromField({from, onChange, error}: FromFieldProps): ReactNode {
  const [typed, setTyped] = useState(from);
  useEffect(() => setTyped(from), [from]);
  const send = (): void => onChange(typed.trim());
  return (
    <div className={css['from']}>
      <TextInput
        label="Interface to mirror"
        value={typed}
        onChange={event => setTyped(event.target.value)}
        onBlur={send}
        onKeyDown={event => {
          if (event.key === 'Enter') send();
        }}
        error={error === null ? undefined : errorText(error)}
      />
    </div>
  );
}

function SetUp({setUp, children}: {readonly setUp: MirrorSetUp; readonly children: ReactNode}): ReactNode {
  return (
    <div className={css['setUp']}>
      <div className={css['setUpHead']}>
        <h3>{setUp.title}</h3>
        <CopyButton text={scriptText(setUp)} label="Copy all commands">
          Copy all
        </CopyButton>
      </div>
      {children}
      {setUp.sections.map(({about, commands}) => (
        <div key={about} className={css['step']}>
          <p>{sentence(about)}</p>
          <CodeBlock text={commands.join('\n')} label={`commands: ${about}`} />
        </div>
      ))}
      {setUp.notes.length > 0 && (
        <>
          <h3>Notes</h3>
          <ul className={css['notes']}>
            {setUp.notes.map(note => (
              <li key={note}>{sentence(note)}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
