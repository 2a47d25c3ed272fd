// SPDX-License-Identifier: Apache-2.0
/** Above the table, always as high: the selection and its actions. */
import type {ThreatAction} from '@palisade/client/browser';
import {type ReactNode, useEffect, useRef} from 'react';
import {Button, icons, Menu, numberText} from '../../ui/index.ts';
import {ACTION_WORDS, threatsText} from './decide/decide.ts';
import css from './threats.module.css';

export type Selection = {
  /** Selected by name. */
  readonly count: number;
  readonly isAll: boolean;
  /** Rows that are in the table. */
  readonly shown: number;
  /** All that match, shown or not; undefined: not known yet. */
  readonly matching: number | undefined;
};

export type ToolbarProps = {
  readonly selection: Selection;
  readonly whyDisabled: string | undefined;
  /** Why all that match cannot be selected. */
  readonly whyNotAll: string | undefined;
  readonly onSelect: (what: 'none' | 'shown' | 'all') => void;
  readonly onAct: (action: ThreatAction) => void;
};

const DEEDS: readonly ThreatAction[] = ['acknowledge', 'escalate', 'comment'];
const UNDO: readonly ThreatAction[] = ['unacknowledge', 'deescalate'];

export function Toolbar({selection, whyDisabled, whyNotAll, onSelect, onAct}: ToolbarProps): ReactNode {
  const {count, isAll, shown} = selection;
  const isSome = isAll || count > 0;
  const why = isSome ? whyDisabled : 'Select threats first';
  return (
    <div className={css['toolbar']} role="toolbar" aria-label="Selected threats">
      <SelectBox
        isFull={isAll || (count > 0 && count >= shown)}
        isPart={isSome}
        onChange={() => onSelect(isSome ? 'none' : 'shown')}
      />
      <span className={css['selected']} role="status">
        <SelectedText {...{selection, whyNotAll, onSelect}} />
      </span>
      <span className={css['deeds']}>
        {DEEDS.map(action => (
          <Button key={action} small whyDisabled={why} onClick={() => onAct(action)}>
            {ACTION_WORDS[action].does}
          </Button>
        ))}
        <Menu
          trigger={
            <Button small icon={<icons.DownIcon />} aria-label="More decisions">
              More
            </Button>
          }
          groups={[
            {
              items: UNDO.map(action => ({
                label: ACTION_WORDS[action].does,
                whyDisabled: why,
                onSelect: () => onAct(action),
              })),
            },
          ]}
        />
      </span>
    </div>
  );
}

function SelectedText({
  selection,
  whyNotAll,
  onSelect,
}: Pick<ToolbarProps, 'selection' | 'whyNotAll' | 'onSelect'>): ReactNode {
  const {count, isAll, matching} = selection;
  if (isAll)
    return (
      <>
        <b>{matching === undefined ? 'All that match' : `All ${threatsText(matching)} that match`}</b>
        <Button kind="quiet" small onClick={() => onSelect('none')}>
          Clear
        </Button>
      </>
    );
  if (count === 0) return <span className="muted">None selected</span>;
  return (
    <>
      <b>{numberText(count)} selected</b>
      <Button kind="quiet" small whyDisabled={whyNotAll} onClick={() => onSelect('all')}>
        {matching === undefined ? 'Select all that match' : `Select all ${numberText(matching)} that match`}
      </Button>
      <Button kind="quiet" small onClick={() => onSelect('none')}>
        Clear
      </Button>
    </>
  );
}

type SelectBoxProps = {readonly isFull: boolean; readonly isPart: boolean; readonly onChange: () => void};

function SelectBox({isFull, isPart, onChange}: SelectBoxProps): ReactNode {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = isPart && !isFull;
  }, [isPart, isFull]);
  return <input ref={box} type="checkbox" aria-label="Select all shown" checked={isFull} onChange={onChange} />;
}
