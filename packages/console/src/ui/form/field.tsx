// SPDX-License-Identifier: Apache-2.0
import {type ComponentProps, type ReactNode, useId} from 'react';
import {cx} from '../class-names.ts';
import css from './form.module.css';

export type FieldProps = {
  readonly label: string;
  readonly hint?: string | undefined;
  /** What is wrong and the way out; shown in place of the hint. */
  readonly error?: string | undefined;
  /** The label is for screen readers only. */
  readonly hideLabel?: boolean;
  /** Marked with `*`. */
  readonly required?: boolean | undefined;
};

type Wiring = {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-required': true | undefined;
};

/** A label, one control, and a hint or an error that belongs to it. */
function Field({
  label,
  hint,
  error,
  hideLabel,
  required,
  render,
}: FieldProps & {readonly render: (wiring: Wiring) => ReactNode}): ReactNode {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className={css['field']}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : css['label']} data-required={required || undefined}>
        {label}
      </label>
      {render({
        id,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
        'aria-invalid': error === undefined ? undefined : true,
        'aria-required': required || undefined,
      })}
      {note !== undefined && (
        <p id={`${id}-note`} className={error === undefined ? css['hint'] : css['error']}>
          {note}
        </p>
      )}
    </div>
  );
}

export function TextInput({
  label,
  hint,
  error,
  hideLabel,
  required,
  className,
  ...rest
}: FieldProps & ComponentProps<'input'>): ReactNode {
  return (
    <Field
      {...{label, hint, error, required}}
      hideLabel={hideLabel ?? false}
      render={wiring => (
        <input
          type="text"
          autoComplete="off"
          spellCheck={false}
          {...rest}
          {...wiring}
          className={cx(css['input'], className)}
        />
      )}
    />
  );
}

export function TextArea({
  label,
  hint,
  error,
  hideLabel,
  required,
  className,
  ...rest
}: FieldProps & ComponentProps<'textarea'>): ReactNode {
  return (
    <Field
      {...{label, hint, error, required}}
      hideLabel={hideLabel ?? false}
      render={wiring => (
        <textarea spellCheck={false} {...rest} {...wiring} className={cx(css['input'], css['area'], className)} />
      )}
    />
  );
}

export type SelectOption = {readonly value: string; readonly label: string};

export function Select({
  label,
  hint,
  error,
  hideLabel,
  required,
  options,
  className,
  ...rest
}: FieldProps & ComponentProps<'select'> & {readonly options: readonly SelectOption[]}): ReactNode {
  return (
    <Field
      {...{label, hint, error, required}}
      hideLabel={hideLabel ?? false}
      render={wiring => (
        <select {...rest} {...wiring} className={cx(css['input'], css['select'], className)}>
          {options.map(option => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    />
  );
}

/** A check box and its label. */
export function Checkbox({label, className, ...rest}: {readonly label: string} & ComponentProps<'input'>): ReactNode {
  return (
    <label className={cx(css['check'], className)}>
      <input type="checkbox" {...rest} />
      {label}
    </label>
  );
}
