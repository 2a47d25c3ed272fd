// SPDX-License-Identifier: Apache-2.0
import {type KeyboardEvent, type MouseEvent, type ReactNode, useRef, useState} from 'react';
import {PageLink, useGo} from '../../routing/link.tsx';
import {minuteText, numberText, SEVERITY_TOKEN, type Severity} from '../../ui/index.ts';
import {type AlertBar, barText, scaleTop, threatsLink} from './model/alerts.ts';
import css from './overview.module.css';

/** Hours between two that are written below the bars. */
const LABEL_EVERY = 6;
const STEPS: Readonly<Record<string, number>> = {ArrowLeft: -1, ArrowRight: 1, Home: -1_000, End: 1_000};

/** One bar an hour: a click on a part opens its threats; arrow keys move between hours, Enter opens one. */
export function AlertBars({bars, parent}: {readonly bars: readonly AlertBar[]; readonly parent: string}): ReactNode {
  const go = useGo();
  const place = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(bars.length - 1);
  const top = scaleTop(bars.reduce((most, {total}) => Math.max(most, total), 0));
  const press = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(bars.length - 1, Math.max(0, active + step));
    setActive(next);
    place.current?.querySelectorAll('a')[next]?.focus();
  };
  const open = (event: MouseEvent, bar: AlertBar): void => {
    const severity = (event.target as HTMLElement).dataset['severity'] as Severity | undefined;
    if (severity === undefined || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(threatsLink(parent, severity, bar));
  };
  return (
    <div className={css['plot']}>
      <div className={css['scale']} aria-hidden="true">
        <span>{numberText(top)}</span>
        <span>0</span>
      </div>
      <div ref={place} role="group" aria-label="Alerts by hour" className={css['bars']} onKeyDown={press}>
        {bars.map((bar, at) => (
          <PageLink
            key={bar.from}
            to={threatsLink(parent, undefined, bar)}
            className={css['bar']}
            aria-label={barText(bar)}
            title={barText(bar)}
            tabIndex={at === active ? 0 : -1}
            onFocus={() => setActive(at)}
            onClick={event => open(event, bar)}
          >
            {bar.parts.map(({severity, alerts}) => (
              <span
                key={severity}
                data-severity={severity}
                className={css['part']}
                style={{height: `${(alerts / top) * 100}%`, background: `var(${SEVERITY_TOKEN[severity]})`}}
              />
            ))}
          </PageLink>
        ))}
      </div>
      <div className={css['hours']} aria-hidden="true">
        {bars.map(({from}, at) => (
          <span key={from}>{at % LABEL_EVERY === 0 ? minuteText(from) : ''}</span>
        ))}
      </div>
    </div>
  );
}
