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
  /** Shown with a tick when true: a switch of its own or, in a group with `choice`, the one that is chosen. */
  readonly checked?: boolean;
};
export type MenuGroup = {
  readonly title?: string;
  readonly items: readonly MenuItem[];
  /** Exactly one of the items is `checked`. */
  readonly choice?: boolean;
};

export type MenuProps = {
  /** One element that takes a ref, such as a Button. */
  readonly trigger: ReactNode;
  readonly groups: readonly MenuGroup[];
  /** The edge of the trigger that the menu lines up with: `start` for triggers at the left of a page. */
  readonly align?: 'start' | 'end';
};

export function Menu({trigger, groups, align = 'end'}: MenuProps): ReactNode {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={css['menu']} sideOffset={4} collisionPadding={8} align={align}>
          {groups.map((group, at) => (
            <Group key={group.title ?? at} {...group} />
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Group({title, items, choice = false}: MenuGroup): ReactNode {
  const body = (
    <>
      {title !== undefined && <Radix.Label className={css['menuTitle']}>{title}</Radix.Label>}
      {items.map(item => (
        <MenuEntry key={item.label} {...item} isChoice={choice} />
      ))}
    </>
  );
  if (!choice) return <Radix.Group className={css['menuGroup']}>{body}</Radix.Group>;
  const chosen = items.find(({checked}) => checked === true)?.label ?? '';
  return (
    <Radix.RadioGroup className={css['menuGroup']} value={chosen}>
      {body}
    </Radix.RadioGroup>
  );
}

type ItemProps = MenuItem & {readonly isChoice: boolean};

export function MenuEntry({label, icon, onSelect, whyDisabled, danger, checked, isChoice}: ItemProps): ReactNode {
  const select = (event: Event): void => {
    if (whyDisabled !== undefined) event.preventDefault();
    else onSelect();
  };
  // Items without any line up with the title of their group.
  const hasSign = isChoice || checked !== undefined || icon !== undefined;
  const body = (
    <>
      {hasSign && (
        <span className={css['menuIcon']} aria-hidden="true">
          {checked === true ? '✓' : icon}
        </span>
      )}
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
  if (isChoice)
    return (
      <Radix.RadioItem {...shared} value={label}>
        {body}
      </Radix.RadioItem>
    );
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
