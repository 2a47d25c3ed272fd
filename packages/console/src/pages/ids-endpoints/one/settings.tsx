// SPDX-License-Identifier: Apache-2.0
/** What the user has set, each changed in place. */
import type {IdsEndpoint, IdsSeverity} from '@palisade/client/browser';
import type {ReactNode} from 'react';
import {
  Badge,
  Checkbox,
  KeyValueList,
  Section,
  Select,
  SeverityBadge,
  TextArea,
  TextInput,
  Time,
} from '../../../ui/index.ts';
import css from '../ids-endpoints.module.css';
import {labelsText, parseLabels} from '../model/form.ts';
import {andAbove, REPORTED_FROM} from '../model/reported.ts';
import {InlineEdit} from './inline-edit.tsx';

type Props = {readonly name: string; readonly endpoint: IdsEndpoint};

export function Settings({name, endpoint}: Props): ReactNode {
  return (
    <Section title="Settings">
      <KeyValueList
        pairs={[
          ['Severity', <SeverityEdit key="s" {...{name, endpoint}} />],
          ['Traffic logs', <TrafficLogsEdit key="t" {...{name, endpoint}} />],
          ['Description', <DescriptionEdit key="d" {...{name, endpoint}} />],
          ['Labels', <LabelsEdit key="l" {...{name, endpoint}} />],
          ['Network', endpoint.network],
          [
            'Endpoint IP',
            <span key="i" className="num">
              {endpoint.endpointIp ?? '–'}
            </span>,
          ],
          ['Created', <Time key="c" at={endpoint.createTime} form="both" />],
          ['Changed', <Time key="u" at={endpoint.updateTime} form="both" />],
        ]}
      />
    </Section>
  );
}

/** The severity from which alerts are reported. */
const Reported = ({severity}: {readonly severity: string}): ReactNode => (
  <>
    <SeverityBadge severity={severity} /> {andAbove(severity)}
  </>
);

const SeverityEdit = ({name, endpoint}: Props): ReactNode => (
  <InlineEdit
    name={name}
    label="Severity"
    value={endpoint.severity ?? 'INFORMATIONAL'}
    shown={<Reported severity={endpoint.severity ?? ''} />}
    editor={(draft, change) => (
      <Select
        label="Severity"
        hideLabel
        value={draft}
        onChange={event => change(event.target.value as IdsSeverity)}
        options={REPORTED_FROM}
      />
    )}
    toPatch={severity => ({severity})}
  />
);

const TrafficLogsEdit = ({name, endpoint}: Props): ReactNode => (
  <InlineEdit
    name={name}
    label="Traffic logs"
    value={endpoint.trafficLogs ?? false}
    shown={endpoint.trafficLogs ? 'On' : 'Off'}
    editor={(draft, change) => (
      <Checkbox label="Keep a record of each flow" checked={draft} onChange={event => change(event.target.checked)} />
    )}
    toPatch={trafficLogs => ({trafficLogs})}
  />
);

const DescriptionEdit = ({name, endpoint}: Props): ReactNode => (
  <InlineEdit
    name={name}
    label="Description"
    value={endpoint.description ?? ''}
    shown={endpoint.description ?? <span className="muted">No description</span>}
    editor={(draft, change) => (
      <TextInput label="Description" hideLabel value={draft} onChange={event => change(event.target.value)} />
    )}
    toPatch={description => ({description})}
  />
);

const LabelsEdit = ({name, endpoint}: Props): ReactNode => (
  <InlineEdit
    name={name}
    label="Labels"
    value={labelsText(endpoint.labels)}
    shown={<Labels labels={endpoint.labels ?? {}} />}
    editor={(draft, change) => (
      <TextArea
        label="Labels"
        hideLabel
        hint="key=value, one a line"
        value={draft}
        onChange={event => change(event.target.value)}
      />
    )}
    toPatch={draft => ({labels: parseLabels(draft)})}
  />
);

function Labels({labels}: {readonly labels: Readonly<Record<string, string>>}): ReactNode {
  const entries = Object.entries(labels);
  if (entries.length === 0) return <span className="muted">No labels</span>;
  return (
    <span className={css['labels']}>
      {entries.map(([key, value]) => (
        <Badge key={key} plain>
          {key}={value}
        </Badge>
      ))}
    </span>
  );
}
