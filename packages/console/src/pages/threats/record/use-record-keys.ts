// SPDX-License-Identifier: Apache-2.0
import {useEffect, useRef} from 'react';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** One letter each, outside of fields, menus and dialogs. */
export function useRecordKeys(deeds: Readonly<Record<string, () => void>>): void {
  const latest = useRef(deeds);
  latest.current = deeds;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isOurs = !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
      if (!isOurs || isTyping(event.target) || document.querySelector('[role="dialog"], [role="menu"]') !== null)
        return;
      const deed = latest.current[event.key.toLowerCase()]; // Caps Lock makes A of a
      if (deed === undefined) return;
      event.preventDefault();
      deed();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}
