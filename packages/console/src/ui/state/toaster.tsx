// SPDX-License-Identifier: Apache-2.0
import {type ReactNode, useSyncExternalStore} from 'react';
import {IconButton} from '../base/button.tsx';
import {CloseIcon} from '../base/icons.tsx';
import {cx} from '../class-names.ts';
import css from './state.module.css';
import {closeToast, toastStore} from './toasts.ts';

/** Once, in the layout. */
export function Toaster(): ReactNode {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.get);
  return (
    <section className={css['toasts']} aria-label="Messages" aria-live="polite">
      {toasts.map(({id, tone, text}) => (
        <div key={id} className={cx(css['toast'], css[`toast-${tone}`])}>
          <p>{text}</p>
          <IconButton label="Close message" icon={<CloseIcon />} small onClick={() => closeToast(id)} />
        </div>
      ))}
    </section>
  );
}
