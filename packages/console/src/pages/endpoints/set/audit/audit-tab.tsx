// SPDX-License-Identifier: Apache-2.0
import {type Endpoints, isNotFound} from '@palisade/client/browser';
import {keepPreviousData, useQuery} from '@tanstack/react-query';
import {type ReactNode, useMemo} from 'react';
import {errorText, isForbidden, useApi} from '../../../../api/index.ts';
import {
  Badge,
  Button,
  CodeBlock,
  type Column,
  countText,
  Dialog,
  EmptyState,
  ErrorState,
  FilterBar,
  icons,
  Loading,
  Time,
  VirtualTable,
} from '../../../../ui/index.ts';
import css from '../set.module.css';
import type {TabSearch} from '../set-search.ts';
import {AUDIT_ENTRIES, type AuditRow, matchingAudit, readSetAudit} from './audit-row.ts';

const REFRESH_MS = 15_000;

const COLUMNS: readonly Column<AuditRow>[] = [
  {id: 'time', title: 'When', width: 84, cell: row => <Time at={row.time} />},
  {id: 'user', title: 'User', width: 74, grow: 2, cell: row => <span title={row.user}>{row.user}</span>},
  {id: 'verb', title: 'Verb', width: 72, cell: row => row.verb},
  {id: 'code', title: 'Answer', width: 116, grow: 2, cell: row => <Answer code={row.code} isDryRun={row.isDryRun} />},
  {
    id: 'from',
    title: 'Client',
    width: 160,
    grow: 3,
    wideOnly: true,
    cell: row => <span title={row.from}>{row.client}</span>,
  },
];
const keyOf = ({key}: AuditRow): string => key;

/** The dry run comes first; on narrow screens it is short, so that the code remains in view. */
const Answer = ({code, isDryRun}: Pick<AuditRow, 'code' | 'isDryRun'>): ReactNode => (
  <>
    {isDryRun && (
      <Badge plain title="a check: nothing was written">
        <span>
          dry<span className={css['onlyWide']}> run</span>
        </span>
      </Badge>
    )}{' '}
    {code === 0 ? <span className="muted">–</span> : <Badge tone={code < 400 ? 'ok' : 'bad'}>{code}</Badge>}
  </>
);

/** Who read and wrote the object, as the audit log has it. */
export function AuditTab({object, search, setSearch}: TabSearch & {readonly object: Endpoints}): ReactNode {
  const {kube} = useApi();
  const {namespace = '', name = '', resourceVersion} = object.metadata ?? {};
  const {data, error, isFetching, refetch} = useQuery({
    queryKey: ['audit', namespace, name, resourceVersion],
    queryFn: ({signal}) => readSetAudit(kube, {namespace, name}, signal),
    placeholderData: keepPreviousData,
    refetchInterval: query => (query.state.status === 'error' ? false : REFRESH_MS),
    staleTime: 0,
  });
  const shown = useMemo(() => matchingAudit(data ?? [], search.q), [data, search.q]);
  if (error !== null) return <NoAudit error={error} onRetry={() => void refetch()} />;
  const open = data?.find(({key}) => key === search.open);
  return (
    <>
      <FilterBar
        label="Filter audit entries"
        placeholder="User, verb, answer or client"
        value={search.q}
        onChange={q => setSearch({q})}
      >
        <Button icon={<icons.RefreshIcon />} busy={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
        <span className="muted num" role="status">
          {shown.length === AUDIT_ENTRIES ? `the newest ${AUDIT_ENTRIES}` : countText(shown.length, 'entry', 'entries')}
        </span>
      </FilterBar>
      <div className={css['table']}>
        <VirtualTable
          label="Audit entries"
          columns={COLUMNS}
          rows={shown}
          rowKey={keyOf}
          onOpen={row => setSearch({open: row.key})}
          empty={
            data === undefined ? (
              <Loading label="Loading audit entries" />
            ) : (
              <EmptyState
                title={data.length === 0 ? 'The audit log has no entry about this object' : 'No entries match'}
                text={data.length === 0 ? 'Its policy decides which requests it keeps.' : 'Change the filter.'}
              />
            )
          }
        />
      </div>
      {open !== undefined && (
        <Dialog
          open
          wide
          onOpenChange={isOpen => !isOpen && setSearch({open: ''})}
          title={`${open.verb} by ${open.user}`}
          description={open.entry.responseStatus?.message}
        >
          <CodeBlock label="Audit entry" text={JSON.stringify(open.entry, null, 2)} />
        </Dialog>
      )}
    </>
  );
}

function NoAudit({error, onRetry}: {readonly error: Error; readonly onRetry: () => void}): ReactNode {
  if (isForbidden(error))
    return (
      <ErrorState
        title="You lack the right to read the audit log"
        text={`${errorText(error)}. The cluster role palisade:auditor gives this right.`}
        onRetry={onRetry}
      />
    );
  if (isNotFound(error)) return <EmptyState title="This server keeps no audit log" text={errorText(error)} />;
  return <ErrorState title="The audit log cannot be read" text={errorText(error)} onRetry={onRetry} />;
}
