// SPDX-License-Identifier: Apache-2.0
import {type ReactNode, useSyncExternalStore} from 'react';
import {wallClock} from '../../clock.ts';
import {createTicks} from './ticks.ts';
import {absoluteText, ageText, parseTime, relativeText} from './time-text.ts';

/** One timer for all times of the page; none while no time is shown. */
const clock = createTicks(wallClock);

/** Milliseconds since the epoch, each second. */
export const useNow = (): number => useSyncExternalStore(clock.subscribe, clock.now);

/** When the day began, in the time zone of the browser; renders again at midnight alone. */
export const useToday = (): number =>
  useSyncExternalStore(clock.subscribe, () => new Date(clock.now()).setHours(0, 0, 0, 0));

export type TimeProps = {
  /** RFC 3339. */
  readonly at: string | undefined;
  /** `age`: 5m; `relative`: 5m ago; `absolute`: date and time; `both`: date and time, 5m ago. Default relative. */
  readonly form?: 'age' | 'relative' | 'absolute' | 'both';
};

/** A time with its other form as a tooltip; – without a time. */
export function Time({at, form = 'relative'}: TimeProps): ReactNode {
  const ms = parseTime(at);
  const now = useNow();
  if (ms === undefined) return <span className="muted">–</span>;
  const absolute = absoluteText(ms);
  const relative = relativeText(ms, now);
  // The text in brackets remains in one line.
  const both = `${absolute} (${relative.replaceAll(' ', '\u00a0')})`;
  const texts = {age: ageText(now - ms), relative, absolute, both};
  return (
    <time dateTime={at} title={form === 'absolute' ? relative : absolute} className="num">
      {texts[form]}
    </time>
  );
}
