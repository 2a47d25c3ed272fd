// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {links} from '../../../../links.ts';
import {PageLink} from '../../../../routing/link.tsx';
import {cx, Loading, numberText, SEVERITIES, SeverityBadge, Time} from '../../../../ui/index.ts';
import css from './exception.module.css';
import {type ExceptionSubject, excludingFilter, previewText} from './exception.ts';
import type {PreviewAnswer} from './use-preview.ts';

type PreviewProps = {
  readonly answer: PreviewAnswer | undefined;
  /** Another one is on its way. */
  readonly isOld: boolean;
  readonly subject: ExceptionSubject;
  /** The exception is in force. */
  readonly isThere: boolean;
};

export function Preview({answer, isOld, subject, isThere}: PreviewProps): ReactNode {
  if (answer === undefined)
    return (
      <div className={css['preview']}>
        <Loading label="Trying the exception" rows={8} />
      </div>
    );
  const {tried, shares, sample} = answer;
  const warning = tried.exceptions[0]?.warning;
  return (
    <div className={cx(css['preview'], css['stack'], isOld && css['old'])} aria-busy={isOld}>
      <div>
        <p className={css['result']} role="status">
          {previewText(tried, isThere)}
        </p>
        {tried.oldest !== undefined && (
          <p className="muted">
            {tried.alerts === 1 ? 'It is' : 'The oldest of them is'} from <Time at={tried.oldest} form="both" />.
          </p>
        )}
      </div>
      <meter
        className={css['bar']}
        min={0}
        max={Math.max(1, tried.alerts)}
        value={tried.hidden}
        aria-label={isThere ? 'Share of alerts of this rule' : 'Share of hidden alerts'}
      />
      {warning !== undefined && <p className={css['note']}>{`It hides no alert to come: it ${warning}.`}</p>}
      <div className={css['columns']}>
        <Shares shares={shares} subject={subject} />
        <Remaining {...{tried, isThere}} />
      </div>
      <Sample {...{sample, subject, isThere}} />
    </div>
  );
}

/** How many alerts a source or a destination has. Exceptions cannot be limited to one, and the text says so. */
const Shares = ({shares, subject}: Pick<PreviewAnswer, 'shares'> & Pick<PreviewProps, 'subject'>): ReactNode => (
  <div>
    <h3>Alerts of this rule</h3>
    <table className={css['table']}>
      <thead className="sr-only">
        <tr>
          <th>Part</th>
          <th>Alerts</th>
        </tr>
      </thead>
      <tbody>
        {shares.map(({id, title, alerts}) => (
          <tr key={id}>
            <td>{title}</td>
            <td className="num">{numberText(alerts)}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {shares.length > 1 && (
      <p className="muted">
        An exception hides the rule for every source and destination. If only one of them raises it,{' '}
        <PageLink to={links.threats({in: subject.endpoint, q: excludingFilter(shares)})}>
          exclude it in the list of threats
        </PageLink>{' '}
        instead.
      </p>
    )}
  </div>
);

const Remaining = ({
  tried: {remaining},
  isThere,
}: Pick<PreviewAnswer, 'tried'> & Pick<PreviewProps, 'isThere'>): ReactNode => (
  <div>
    <h3>{isThere ? 'Alerts of other rules' : 'Alerts that remain'}</h3>
    <table className={css['table']}>
      <thead className="sr-only">
        <tr>
          <th>Severity</th>
          <th>Alerts</th>
        </tr>
      </thead>
      <tbody>
        {SEVERITIES.map(severity => (
          <tr key={severity}>
            <td>
              <SeverityBadge severity={severity} />
            </td>
            <td className="num">{numberText(remaining[severity] ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Sample = ({
  sample,
  subject,
  isThere,
}: Pick<PreviewAnswer, 'sample'> & Pick<PreviewProps, 'subject' | 'isThere'>): ReactNode => {
  if (sample.length === 0) return null;
  return (
    <div>
      <h3>{isThere ? 'The newest of this rule' : `The newest that ${subject.threatId} would have hidden`}</h3>
      <ul className={css['sample']}>
        {sample.map(record => (
          <li key={record.id} className="num">
            <span className="muted">
              <Time at={record.event_time} form="absolute" />
            </span>
            <span>{`${record.source_ip_address} → ${record.destination_ip_address}`}</span>
            <span className="muted">{record.uri_or_filename}</span>
          </li>
        ))}
      </ul>
    </div>
  );
};
