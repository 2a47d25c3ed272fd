// SPDX-License-Identifier: Apache-2.0
import {DropdownMenu as Radix} from 'radix-ui';
import type {ReactNode} from 'react';
import css from './overlay.module.css';

export type MenuItem = {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly onSelect: () => void;
  /** As of Button: the item stays readable and says why. */
  readonly whyDisabled?: string | undefined;
  readonly danger?: boolean;
  /** One of several choices: a tick when true. */
  readonly checked?: boolean;
};
export type MenuGroup = {readonly title?: string; readonly items: readonly MenuItem[]};

/** `trigger`: one element that takes a ref, such as a Button. */
export function Menu({
  trigger,
  groups,
}: {
  readonly trigger: ReactNode;
  readonly groups: readonly MenuGroup[];
}): ReactNode {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={css['menu']} sideOffset={4} collisionPadding={8} align="end">
          {groups.map((group, at) => (
            <Radix.Group key={group.title ?? at} className={css['menuGroup']}>
              {group.title !== undefined && <Radix.Label className={css['menuTitle']}>{group.title}</Radix.Label>}
              {group.items.map(item => (
                <Item key={item.label} {...item} />
              ))}
            </Radix.Group>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Item({label, icon, onSelect, whyDisabled, danger, checked}: MenuItem): ReactNode {
  const select = (event: Event): void => {
    if (whyDisabled !== undefined) event.preventDefault();
    else onSelect();
  };
  const body = (
    <>
      <span className={css['menuIcon']} aria-hidden="true">
        {checked === true ? '✓' : icon}
      </span>
      <span>
        {label}
        {whyDisabled !== undefined && <span className={css['menuReason']}>{whyDisabled}</span>}
      </span>
    </>
  );
  const shared = {
    className: css['menuItem'],
    onSelect: select,
    'aria-disabled': whyDisabled !== undefined || undefined,
  };
  if (checked !== undefined)
    return (
      <Radix.CheckboxItem {...shared} checked={checked}>
        {body}
      </Radix.CheckboxItem>
    );
  return (
    <Radix.Item {...shared} data-danger={danger || undefined}>
      {body}
    </Radix.Item>
  );
}
