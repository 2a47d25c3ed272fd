// SPDX-License-Identifier: Apache-2.0
/** One threat: everything that is known about it, and decisions. */
import type {ThreatMessage} from '@palisade/ids-wire';
import {type ReactNode, useMemo, useRef} from 'react';
import {errorText, usePermission} from '../../../api/index.ts';
import {links} from '../../../links.ts';
import {PageLink, useGo} from '../../../routing/link.tsx';
import {parseQuery} from '../../../routing/search.ts';
import {type SetSearch, useSearchState} from '../../../routing/use-search-state.ts';
import {EmptyState, ErrorState, Loading, PageHeader, toast} from '../../../ui/index.ts';
import {fromBase64} from './bytes/bytes.ts';
import {matchesOf} from './bytes/match.ts';
import {parseRule} from './bytes/rule-text.ts';
import {Data} from './data.tsx';
import {Decisions} from './decisions.tsx';
import {subjectOf} from './exception/exception.ts';
import {ExceptionDialog} from './exception/exception-dialog.tsx';
import {Fields} from './fields.tsx';
import {Header} from './header.tsx';
import {protocolsOf, textsOf} from './protocol.ts';
import {Protocols} from './protocols.tsx';
import css from './record.module.css';
import {isNoThreat, parseRecordName, type RecordName} from './record-name.ts';
import {RECORD_SEARCH, type RecordSearch} from './record-search.ts';
import {Related} from './related/related.tsx';
import {Rule} from './rule.tsx';
import {useDecide} from './use-decide.ts';
import {useNeighbours, useRecord} from './use-record.ts';
import {useRecordKeys} from './use-record-keys.ts';

export function Page(): ReactNode {
  const [search, setSearch] = useSearchState(RECORD_SEARCH);
  const {name, back} = search;
  const at = useMemo(() => parseRecordName(name), [name]);
  if (at === undefined)
    return (
      <Failed
        back={back}
        title="The address names no threat"
        text={`${name === '' ? 'It has no name' : `"${name}" is not the name of a threat`}: a name has the form projects/P/locations/L/endpoints/E/threats/ID.`}
      />
    );
  return <Loaded key={at.name} {...{at, search, setSearch}} />;
}

function Failed({back, title, text, onRetry}: FailedProps): ReactNode {
  return (
    <>
      <PageHeader title="Threat" trail={<PageLink to={links.threats(parseQuery(back))}>← Threats</PageLink>} />
      <ErrorState {...{title, text, onRetry}} />
    </>
  );
}

/** Asked again, the answer would be the same. */
const NoThreat = ({back}: {readonly back: string}): ReactNode => (
  <>
    <PageHeader title="Threat" trail={<PageLink to={links.threats(parseQuery(back))}>← Threats</PageLink>} />
    <EmptyState
      title="There is no such threat"
      text="It may have been removed because of its age, or to make room for newer records."
      action={<PageLink to={links.threats(parseQuery(back))}>List of threats</PageLink>}
    />
  </>
);

type FailedProps = {
  readonly back: string;
  readonly title: string;
  readonly text: string;
  readonly onRetry?: () => void;
};

type LoadedProps = {
  readonly at: RecordName;
  readonly search: RecordSearch;
  readonly setSearch: SetSearch<RecordSearch>;
};

function Loaded({at, search, setSearch}: LoadedProps): ReactNode {
  const {query, apply} = useRecord(at);
  if (query.data !== undefined) return <Record {...{at, search, setSearch, apply}} threat={query.data} />;
  if (isNoThreat(query.error)) return <NoThreat back={search.back} />;
  if (query.isError)
    return (
      <Failed
        back={search.back}
        title="The threat cannot be shown"
        text={errorText(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  return (
    <>
      <PageHeader title="Threat" trail={<PageLink to={links.threats(parseQuery(search.back))}>← Threats</PageLink>} />
      <Loading label="Loading the threat" rows={16} />
    </>
  );
}

/** What is read from rule and evidence together. */
function useReading({evidence, rule}: ThreatMessage) {
  return useMemo(() => {
    const payload = evidence.payload === undefined ? undefined : fromBase64(evidence.payload.data);
    const parsed = parseRule('text' in rule ? rule.text : '');
    const protocols = protocolsOf(evidence);
    return {payload, parsed, protocols, matches: matchesOf(parsed.contents, payload, textsOf(protocols))};
  }, [evidence, rule]);
}

type RecordProps = LoadedProps & {
  readonly threat: ThreatMessage;
  readonly apply: ReturnType<typeof useRecord>['apply'];
};

function Record({at, search, setSearch, threat, apply}: RecordProps): ReactNode {
  const {back} = search;
  const go = useGo();
  const comment = useRef<HTMLTextAreaElement>(null);
  const neighbours = useNeighbours(threat, back);
  const decide = useDecide(at, apply);
  const except = usePermission(at.endpoint, 'ids.endpoints.update');
  const {payload, parsed, protocols, matches} = useReading(threat);
  const step = (name: string | undefined) => (): void => {
    if (name !== undefined) go(links.threat(name, {back}));
  };
  const ifAllowed = (deed: () => void) => (): void => {
    if (decide.why !== undefined) toast('plain', decide.why);
    else if (decide.busy === undefined) deed();
  };
  useRecordKeys({
    j: step(neighbours.older),
    k: step(neighbours.newer),
    a: ifAllowed(() => void decide.run(threat.acknowledged === true ? 'unacknowledge' : 'acknowledge')),
    e: ifAllowed(() => void decide.run(threat.escalated === true ? 'deescalate' : 'escalate')),
    c: () => comment.current?.focus(),
    x: () => {
      if (except.why === undefined) setSearch({exception: true});
      else toast('plain', except.why);
    },
  });
  return (
    <>
      <Header {...{threat, back, neighbours, decide}} onException={() => setSearch({exception: true}, {push: true})} />
      <div className={css['page']}>
        <div className={css['main']}>
          <Fields threat={threat} back={back} />
          <Rule {...{threat, parsed, matches}} />
          <Data {...{threat, payload, search, setSearch}} ranges={matches.ranges} />
          <Protocols blocks={protocols} />
        </div>
        <div className={css['side']}>
          <Decisions threat={threat} decide={decide} field={comment} />
          <Related threat={threat} back={back} />
          <Keys />
        </div>
      </div>
      {search.exception && (
        <ExceptionDialog subject={subjectOf(threat)} onClose={() => setSearch({exception: false})} />
      )}
    </>
  );
}

const KEYS = {a: 'acknowledge', e: 'escalate', c: 'comment', x: 'make an exception', k: 'newer', j: 'older'};

const Keys = (): ReactNode => (
  <p className={css['keys']}>
    {Object.entries(KEYS).map(([key, does]) => (
      <span key={key}>
        <kbd>{key}</kbd> {does}
      </span>
    ))}
  </p>
);
