// SPDX-License-Identifier: Apache-2.0
/** A text area with line numbers, and each problem at its line. The Tab key leaves it, as in every field. */
import {type KeyboardEvent, type ReactNode, type Ref, useImperativeHandle, useMemo, useRef} from 'react';
import {cx} from '../../../ui/index.ts';
import css from './editor.module.css';
import type {Problem} from './problems.ts';
import {isReviewKey} from './review-key.ts';

const LINE_PX = 20;

/** `focus`: to the text, without scrolling to its end. */
export type EditorHandle = {readonly focus: () => void};

export type EditorProps = {
  readonly ref?: Ref<EditorHandle>;
  /** `YAML of shop/web`. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly readOnly?: boolean;
  readonly problems?: readonly Problem[];
  /** Ctrl+S or Ctrl+Enter. */
  readonly onSubmit: () => void;
};

export function Editor(props: EditorProps): ReactNode {
  const {ref, label, value, onChange, readOnly = false, problems = [], onSubmit} = props;
  const area = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(ref, () => ({focus: () => area.current?.focus({preventScroll: true})}), []);
  const lines = useMemo(() => value.split('\n'), [value]);
  const numbers = useMemo(() => lines.map((_, at) => at + 1).join('\n'), [lines]);
  const longest = useMemo(() => lines.reduce((most, {length}) => Math.max(most, length), 0), [lines]);
  const goTo = (line: number): void => {
    const from = lines.slice(0, line - 1).reduce((sum, {length}) => sum + length + 1, 0);
    area.current?.focus();
    area.current?.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  };
  const press = (event: KeyboardEvent): void => {
    if (!isReviewKey(event)) return;
    event.preventDefault();
    onSubmit();
  };
  return (
    <div>
      {problems.length > 0 && <Problems problems={problems} onGo={goTo} />}
      <div className={cx(css['editor'], readOnly && css['readOnly'])}>
        <div className={css['inner']}>
          <pre className={css['gutter']} aria-hidden="true">
            {numbers}
          </pre>
          <div className={css['text']}>
            {[...Map.groupBy(problems, ({line}) => line ?? 0)].map(([line, some]) =>
              line === 0 || line > lines.length ? null : (
                <div key={line} className={css['mark']} style={{top: (line - 1) * LINE_PX}} aria-hidden="true">
                  {`${' '.repeat((lines[line - 1] ?? '').length + 2)}← ${some.map(({text}) => text).join('; ')}`}
                </div>
              ),
            )}
            <textarea
              ref={area}
              data-editor=""
              className={css['area']}
              aria-label={label}
              aria-invalid={problems.length > 0 || undefined}
              value={value}
              readOnly={readOnly}
              rows={lines.length}
              cols={longest + 2}
              wrap="off"
              spellCheck={false}
              autoCapitalize="off"
              autoComplete="off"
              onChange={event => onChange(event.target.value)}
              onKeyDown={press}
            />
          </div>
        </div>
      </div>
    </div>
  );
}

function titleOf(problems: readonly Problem[]): string {
  const one = problems.length === 1;
  if (problems.every(({isChoice}) => isChoice))
    return one
      ? 'Both changed this field: check its value'
      : `Both changed ${problems.length} fields: check their values`;
  return one ? 'One problem' : `${problems.length} problems`;
}

function Problems({
  problems,
  onGo,
}: {
  readonly problems: readonly Problem[];
  readonly onGo: (line: number) => void;
}): ReactNode {
  return (
    <div className={css['problems']} role="alert">
      <h2>{titleOf(problems)}</h2>
      <ul>
        {problems.map(({line, field, text}, at) => (
          <li key={at} className={css['problem']}>
            {line !== undefined && (
              <button type="button" className={css['line']} onClick={() => onGo(line)}>
                line {line}
              </button>
            )}
            {field !== undefined && <code>{field}</code>}
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
