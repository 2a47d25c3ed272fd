// SPDX-License-Identifier: Apache-2.0
/** Payload, packet and event of the alert, and its packets as a file. */
import type {ThreatMessage} from '@palisade/ids-wire';
import {type ReactNode, useMemo} from 'react';
import {capital, refusalWords} from '../../../api/index.ts';
import type {SetSearch} from '../../../routing/use-search-state.ts';
import {Button, CodeBlock, icons, Menu, numberText, Section, Tabs} from '../../../ui/index.ts';
import {fromBase64, hexDump, hexText, plainText, type Range} from './bytes/bytes.ts';
import {BytesView} from './bytes/bytes-view.tsx';
import {copy} from './field-value.tsx';
import {PcapButton} from './pcap.tsx';
import css from './record.module.css';
import {DATA_TABS, type RecordSearch} from './record-search.ts';

type DataProps = {
  readonly threat: ThreatMessage;
  readonly payload: Uint8Array | undefined;
  /** In the payload. */
  readonly ranges: readonly Range[];
  readonly search: RecordSearch;
  readonly setSearch: SetSearch<RecordSearch>;
};

const NOTHING_MARKED: readonly Range[] = [];

export function Data(props: DataProps): ReactNode {
  const {threat, payload, ranges, search, setSearch} = props;
  const {evidence} = threat;
  const packet = useMemo(
    () => (evidence.packet === undefined ? undefined : fromBase64(evidence.packet.data)),
    [evidence],
  );
  const why = whyNothing(threat);
  const shared = {form: search.form, onForm: (form: RecordSearch['form']) => setSearch({form})};
  const tabs = [
    {
      id: 'payload',
      label: 'Payload',
      content: (
        <Bytes
          {...shared}
          label="Payload"
          bytes={payload}
          ranges={ranges}
          note={evidence.payload?.is_stream === true ? 'Data of the session' : 'Data of one packet'}
          why={why ?? 'the event of the alert has no payload'}
        />
      ),
    },
    {
      id: 'packet',
      label: 'Packet',
      content: (
        <Bytes
          {...shared}
          label="Packet"
          bytes={packet}
          ranges={NOTHING_MARKED}
          note="The packet that raised the alert; often the acknowledgement of the data that matched"
          why={why ?? 'the event of the alert has no packet'}
        />
      ),
    },
    {id: 'event', label: 'Event', content: <Event threat={threat} why={why} />},
  ];
  return (
    <Section title="Evidence" actions={<PcapButton threat={threat} />}>
      <div className={css['stack']}>
        {evidence.left_out !== undefined && evidence.left_out.length > 0 && (
          <p className={css['warning']}>
            {`The event was too long to be kept whole. Left out: ${evidence.left_out.join(', ')}.`}
          </p>
        )}
        <Tabs
          label="Evidence"
          tabs={tabs}
          value={search.data}
          onChange={id => setSearch({data: DATA_TABS.find(each => each === id) ?? 'payload'})}
        />
      </div>
    </Section>
  );
}

/** Why there is no evidence at all, in the words of the server. */
const whyNothing = ({evidence: {withheld, absent}}: ThreatMessage): string | undefined =>
  withheld === undefined ? absent : refusalWords(withheld);

const Nothing = ({what, why}: {readonly what: string; readonly why: string}): ReactNode => (
  <div className={css['nothing']}>
    <p>{`${what} is not shown`}</p>
    <p className="muted">{capital(why)}</p>
  </div>
);

function Event({threat, why}: {readonly threat: ThreatMessage; readonly why: string | undefined}): ReactNode {
  const {event} = threat.evidence;
  const text = useMemo(() => JSON.stringify(event, null, 2), [event]);
  if (event === undefined) return <Nothing what="The event" why={why ?? 'it is not kept'} />;
  return <CodeBlock text={text} label="the event as Suricata wrote it" wrap />;
}

type BytesProps = {
  readonly label: string;
  readonly bytes: Uint8Array | undefined;
  readonly ranges: readonly Range[];
  readonly note: string;
  readonly why: string;
  readonly form: RecordSearch['form'];
  readonly onForm: (form: RecordSearch['form']) => void;
};

function Bytes({label, bytes, ranges, note, why, form, onForm}: BytesProps): ReactNode {
  if (bytes === undefined) return <Nothing what={`The ${label.toLowerCase()}`} why={why} />;
  const forms = [
    {label: 'As text', onSelect: () => copy(plainText(bytes))},
    {label: 'As a hex dump', onSelect: () => copy(hexDump(bytes))},
    {label: 'As hexadecimal digits', onSelect: () => copy(hexText(bytes))},
  ];
  return (
    <div className={css['stack']}>
      <div className={css['bytesHead']}>
        <p className="muted num">{`${note}, ${numberText(bytes.length)} bytes`}</p>
        <span className={css['line']}>
          <span className={css['toggle']} role="group" aria-label="Form">
            {(['hex', 'text'] as const).map(each => (
              <button key={each} type="button" aria-pressed={form === each} onClick={() => onForm(each)}>
                {each === 'hex' ? 'Hex' : 'Text'}
              </button>
            ))}
          </span>
          <Menu
            groups={[{items: forms}]}
            trigger={
              <Button small icon={<icons.CopyIcon />} aria-label={`Copy ${label.toLowerCase()}`}>
                Copy
              </Button>
            }
          />
        </span>
      </div>
      <BytesView {...{bytes, ranges, form, label}} />
    </div>
  );
}
