// SPDX-License-Identifier: Apache-2.0
import {Tooltip as Radix} from 'radix-ui';
import type {ReactNode} from 'react';
import css from './overlay.module.css';

export const TooltipProvider = Radix.Provider;

/** A sentence about one element, on hover and on focus; `children` is one element that takes a ref. */
export function Tooltip({text, children}: {readonly text: string; readonly children: ReactNode}): ReactNode {
  return (
    <Radix.Root delayDuration={300}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={css['tooltip']} sideOffset={6} collisionPadding={8}>
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
