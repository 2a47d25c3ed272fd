// SPDX-License-Identifier: Apache-2.0
import type {ComponentProps, MouseEvent, ReactNode} from 'react';
import {useId} from 'react';
import {cx} from '../class-names.ts';
import {Tooltip} from '../overlay/tooltip.tsx';
import css from './button.module.css';

export type ButtonProps = Omit<ComponentProps<'button'>, 'disabled'> & {
  readonly kind?: 'primary' | 'default' | 'quiet' | 'danger';
  readonly small?: boolean;
  readonly icon?: ReactNode;
  /** Work is under way: no second click. */
  readonly busy?: boolean;
  /**
   * Why nothing happens on a click, in a sentence (`needs the right to update endpoints in namespace shop`). The button stays in the
   * order of keys, so that the reason can be read with the keyboard and by a screen reader.
   */
  readonly whyDisabled?: string | undefined;
};

export function Button({
  kind = 'default',
  small,
  icon,
  busy,
  whyDisabled,
  className,
  onClick,
  children,
  ...rest
}: ButtonProps): ReactNode {
  const reasonId = useId();
  const isOff = whyDisabled !== undefined || busy === true;
  const click = (event: MouseEvent<HTMLButtonElement>): void => {
    if (isOff) event.preventDefault();
    else onClick?.(event);
  };
  const button = (
    <button
      type="button"
      {...rest}
      className={cx(css['button'], css[kind], small && css['small'], className)}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      aria-describedby={whyDisabled === undefined ? rest['aria-describedby'] : reasonId}
      onClick={click}
    >
      {icon}
      {children}
    </button>
  );
  if (whyDisabled === undefined) return button;
  return (
    <>
      <Tooltip text={whyDisabled}>{button}</Tooltip>
      <span id={reasonId} hidden>
        {whyDisabled}
      </span>
    </>
  );
}

export type IconButtonProps = Omit<ButtonProps, 'children' | 'icon'> & {
  readonly label: string;
  readonly icon: ReactNode;
};

/** A button with a picture only; `label` is its name and its tooltip. */
export function IconButton({label, icon, className, ...rest}: IconButtonProps): ReactNode {
  const button = (
    <Button kind="quiet" aria-label={label} className={cx(css['iconOnly'], className)} icon={icon} {...rest} />
  );
  return rest.whyDisabled === undefined ? <Tooltip text={label}>{button}</Tooltip> : button;
}
