// SPDX-License-Identifier: Apache-2.0
import {formatTimestamp} from '@palisade/ids-wire';
import {type FormEvent, type ReactNode, useId, useState} from 'react';
import {absoluteText, Button, Dialog, icons, Menu, parseTime, TextInput} from '../ui/index.ts';
import css from './filter.module.css';
import {isAbsolute, PRESET_WORD, PRESETS, type RangeSearch} from './time-range.ts';

export type RangeMenuProps = {readonly range: RangeSearch; readonly onChange: (range: RangeSearch) => void};

/** `2026-11-28 10:00:00 – 11:00:00`; the day appears once. */
export function rangeText({range, from, to}: RangeSearch): string {
  if (!isAbsolute({range, from, to})) return PRESET_WORD[range];
  const [begin, end] = [parseTime(from), parseTime(to)].map(at => (at === undefined ? undefined : absoluteText(at)));
  if (end === undefined) return `Since ${begin}`;
  if (begin === undefined) return `Until ${end}`;
  return `${begin} – ${end.slice(0, 10) === begin.slice(0, 10) ? end.slice('2026-11-28 '.length) : end}`;
}

export function RangeMenu({range, onChange}: RangeMenuProps): ReactNode {
  const [isCustom, setCustom] = useState(false);
  const isPreset = !isAbsolute(range);
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button icon={<icons.DownIcon />} className={css['range']} aria-label={`Time range: ${rangeText(range)}`}>
            <span>{rangeText(range)}</span>
          </Button>
        }
        groups={[
          {
            title: 'Time range',
            items: PRESETS.map(preset => ({
              label: PRESET_WORD[preset],
              checked: isPreset && range.range === preset,
              onSelect: () => onChange({range: preset, from: '', to: ''}),
            })),
          },
          {items: [{label: 'From and to…', checked: !isPreset, onSelect: () => setCustom(true)}]},
        ]}
      />
      {isCustom && <CustomRange range={range} onChange={onChange} onClose={() => setCustom(false)} />}
    </>
  );
}

/** For a field of type datetime-local. */
const local = (text: string): string => {
  const at = parseTime(text);
  return at === undefined ? '' : absoluteText(at).replace(' ', 'T');
};
const utc = (text: string): string => (text === '' ? '' : formatTimestamp(new Date(text).getTime()));

function CustomRange({range, onChange, onClose}: RangeMenuProps & {readonly onClose: () => void}): ReactNode {
  const id = useId();
  const [from, setFrom] = useState(local(range.from));
  const [to, setTo] = useState(local(range.to));
  const error = from !== '' && to !== '' && from >= to ? 'To must be later than From' : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (error !== undefined) return;
    onChange({range: range.range, from: utc(from), to: utc(to)});
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={open => !open && onClose()}
      title="Time range"
      description="In the time zone of this browser. Without To, new threats are shown as they come."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={id} whyDisabled={error}>
            Show
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className={css['dates']}>
        <TextInput label="From" type="datetime-local" step={1} value={from} onChange={e => setFrom(e.target.value)} />
        <TextInput
          label="To"
          type="datetime-local"
          step={1}
          value={to}
          error={error}
          onChange={e => setTo(e.target.value)}
        />
      </form>
    </Dialog>
  );
}
