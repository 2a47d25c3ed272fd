// SPDX-License-Identifier: Apache-2.0
import {type ReactNode, useEffect, useState} from 'react';
import {Button, IconButton} from '../base/button.tsx';
import {CheckIcon, CopyIcon} from '../base/icons.tsx';

const SHOWN_MS = 1_500;

/** Copies `text` and says so; `children`: its label. Browsers offer no clipboard over plain HTTP from another machine. */
export function CopyButton({
  text,
  label,
  children,
}: {
  readonly text: string;
  readonly label: string;
  readonly children?: ReactNode;
}): ReactNode {
  const [said, setSaid] = useState<'' | 'Copied' | 'Not copied: select the text'>('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = (): void => {
    const clipboard: Clipboard | undefined = navigator.clipboard;
    if (clipboard === undefined) setSaid('Not copied: select the text');
    else
      clipboard.writeText(text).then(
        () => setSaid('Copied'),
        () => setSaid('Not copied: select the text'),
      );
  };
  const icon = said === 'Copied' ? <CheckIcon /> : <CopyIcon />;
  return (
    <>
      {children === undefined ? (
        <IconButton label={said === '' ? label : said} icon={icon} onClick={copy} small />
      ) : (
        <Button icon={icon} onClick={copy} aria-label={label} small>
          {said === '' ? children : said}
        </Button>
      )}
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  );
}
