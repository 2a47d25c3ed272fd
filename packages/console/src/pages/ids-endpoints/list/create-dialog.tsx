// SPDX-License-Identifier: Apache-2.0
/** Everything that the API takes for an endpoint. Its page shows the progress, so the dialog closes once the API has accepted it. */
import {useMutation, useQuery} from '@tanstack/react-query';
import {type FormEvent, type ReactNode, useId, useState} from 'react';
import {useApi, usePermission} from '../../../api/index.ts';
import {links} from '../../../links.ts';
import {useGo} from '../../../routing/link.tsx';
import {Button, Checkbox, Dialog, Select, TextArea, TextInput} from '../../../ui/index.ts';
import css from '../ids-endpoints.module.css';
import {type Draft, type DraftFaults, faultsOf, parentOf, toEndpoint} from '../model/form.ts';
import {operationId} from '../model/operations.ts';
import {ownFaults, placeFaults} from '../model/own-faults.ts';
import {REPORTED_FROM} from '../model/reported.ts';
import {useAccepted} from '../queries.ts';

export type CreateDialogProps = {
  readonly open: boolean;
  /** Proposed. */
  readonly project: string;
  readonly onClose: () => void;
};

/** What is typed is forgotten with the dialog. */
export function CreateDialog({open, project, onClose}: CreateDialogProps): ReactNode {
  return open ? <OpenDialog project={project} onClose={onClose} /> : null;
}

const EMPTY: Draft = {
  project: '',
  location: 'local',
  id: '',
  network: '',
  severity: 'INFORMATIONAL',
  description: '',
  labels: '',
  threatExceptions: '',
  trafficLogs: false,
};

function OpenDialog({project, onClose}: Omit<CreateDialogProps, 'open'>): ReactNode {
  const {ids} = useApi();
  const go = useGo();
  const accepted = useAccepted();
  const form = useId();
  const [typed, setTyped] = useState<Partial<Draft>>({});
  const [isSubmitted, setSubmitted] = useState(false);
  // The proposed project comes with the list, which may be later than the dialog.
  const draft: Draft = {...EMPTY, project, ...typed};
  const parent = parentOf(draft);
  const isPlace = placeFaults(draft) === undefined;
  const right = usePermission(isPlace ? parent : 'projects/-/locations/-', 'ids.endpoints.create');
  // Of a place that cannot be, the fault is named instead.
  const whyNot = isPlace ? right.why : undefined;
  const create = useMutation({
    mutationFn: () => ids.createEndpoint(parent, draft.id.trim(), toEndpoint(draft)),
    onSuccess: operation => {
      accepted(operation);
      go(
        links.idsEndpoint(draft.project.trim(), draft.location.trim(), draft.id.trim(), {
          operation: operationId(operation),
        }),
      );
    },
  });
  const own = isSubmitted ? ownFaults(draft) : undefined;
  const faults: DraftFaults = own ?? (create.error === null ? {} : faultsOf(create.error));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setSubmitted(true);
    if (whyNot === undefined && !create.isPending && ownFaults(draft) === undefined) create.mutate();
  };
  const change = (patch: Partial<Draft>): void => setTyped(before => ({...before, ...patch}));
  return (
    <Dialog
      open
      onOpenChange={isOpen => {
        if (!isOpen) onClose();
      }}
      wide
      title="Create IDS endpoint"
      description="Its sensor starts within seconds. Afterwards, mirror traffic to the address of the endpoint. Fields marked * are required."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={form} busy={create.isPending} whyDisabled={whyNot}>
            Create endpoint
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className={css['form']} noValidate>
        {faults.rest !== undefined && (
          <p role="alert" className={css['fault']}>
            {faults.rest}
          </p>
        )}
        <PlaceFields {...{draft, change, faults}} />
        <WatchFields {...{draft, change, faults}} />
      </form>
    </Dialog>
  );
}

type FieldsProps = {
  readonly draft: Draft;
  readonly change: (patch: Partial<Draft>) => void;
  readonly faults: DraftFaults;
};

function PlaceFields({draft, change, faults}: FieldsProps): ReactNode {
  return (
    <>
      <TextInput
        label="Name"
        required
        hint="Lowercase letters, digits and hyphens; it cannot be changed later"
        value={draft.id}
        onChange={event => change({id: event.target.value})}
        error={faults.id}
      />
      <TextInput
        label="Network"
        required
        hint="The network whose traffic is mirrored, such as prod; it cannot be changed later"
        value={draft.network}
        onChange={event => change({network: event.target.value})}
        error={faults.network}
      />
      <TextInput
        label="Project"
        required
        value={draft.project}
        onChange={event => change({project: event.target.value})}
        error={faults.project}
      />
      <LocationField {...{draft, change, faults}} />
    </>
  );
}

function LocationField({draft, change, faults}: FieldsProps): ReactNode {
  const {ids} = useApi();
  const project = draft.project.trim();
  const {data = []} = useQuery({
    queryKey: ['ids-locations', project],
    queryFn: async ({signal}) =>
      ((await ids.listLocations(`projects/${project}`, {signal})).locations ?? []).map(
        ({locationId = ''}) => locationId,
      ),
    enabled: project !== '',
  });
  const names = data.includes(draft.location) ? data : [draft.location, ...data];
  return (
    <Select
      label="Location"
      required
      value={draft.location}
      onChange={event => change({location: event.target.value})}
      options={names.map(value => ({value, label: value}))}
      error={faults.location}
    />
  );
}

function WatchFields({draft, change, faults}: FieldsProps): ReactNode {
  return (
    <>
      <Select
        label="Report alerts of severity"
        value={draft.severity}
        onChange={event => change({severity: event.target.value})}
        options={REPORTED_FROM}
        error={faults.severity}
      />
      <div className={css['checkField']}>
        <Checkbox
          label="Traffic logs: keep a record of each flow"
          checked={draft.trafficLogs}
          onChange={event => change({trafficLogs: event.target.checked})}
        />
        {faults.trafficLogs !== undefined && <p className={css['fault']}>{faults.trafficLogs}</p>}
      </div>
      <div className={css['both']}>
        <TextInput
          label="Description"
          value={draft.description}
          onChange={event => change({description: event.target.value})}
          error={faults.description}
        />
      </div>
      <TextArea
        label="Labels"
        hint="key=value, one a line"
        rows={3}
        value={draft.labels}
        onChange={event => change({labels: event.target.value})}
        error={faults.labels}
      />
      <TextArea
        label="Threat exceptions"
        hint="Threat IDs that raise no alert, such as 1:2019401, one a line"
        rows={3}
        value={draft.threatExceptions}
        onChange={event => change({threatExceptions: event.target.value})}
        error={faults.threatExceptions}
      />
    </>
  );
}
