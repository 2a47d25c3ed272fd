// SPDX-License-Identifier: Apache-2.0
import type {ThreatMessage} from '@palisade/ids-wire';
import {Fragment, type ReactNode} from 'react';
import {absoluteText, Section, Time} from '../../../ui/index.ts';
import {FieldValueMenu} from './field-value.tsx';
import {blocksOf} from './fields.ts';
import css from './record.module.css';

/** `2026-11-28 17:05:09.123456`. */
export function exactTime(time: string): string {
  const at = Date.parse(time);
  const fraction = /\.\d+/.exec(time)?.[0] ?? '';
  return Number.isNaN(at) ? time : `${absoluteText(at)}${fraction}`;
}

export function Fields({threat, back}: {readonly threat: ThreatMessage; readonly back: string}): ReactNode {
  return (
    <Section title="Fields">
      <div className={css['blocks']}>
        {blocksOf(threat).map(({title, lines}) => (
          <div key={title}>
            <h3 className={css['blockTitle']}>{title}</h3>
            <dl className={css['pairs']}>
              {title === 'Sensor' && (
                <>
                  <dt>Time</dt>
                  <dd>
                    <span className="num">{exactTime(threat.event_time)}</span>{' '}
                    <span className="muted">
                      (<Time at={threat.event_time} />)
                    </span>
                  </dd>
                </>
              )}
              {lines.map(({title: name, values}) => (
                <Fragment key={name}>
                  <dt>{name}</dt>
                  <dd className={css['values']}>
                    {values.map(value => (
                      <FieldValueMenu key={value.text} title={name} value={value} back={back} />
                    ))}
                  </dd>
                </Fragment>
              ))}
            </dl>
          </div>
        ))}
      </div>
    </Section>
  );
}
