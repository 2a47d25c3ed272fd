// SPDX-License-Identifier: Apache-2.0
import type {ComponentType} from 'react';
import type {KeyGroup} from '../ui/data/key-list.tsx';

/** One entry of the list of pages. */
export type Page = {
  /** Unique. */
  readonly id: string;
  /** Below the console; `$name` is any one part: `/endpoints/$namespace/$name`. */
  readonly path: string;
  /** Its own chunk; the module exports `Page`. */
  readonly load: () => Promise<{readonly Page: ComponentType}>;
  /** Its shortcuts, in addition to those of every filter and table. */
  readonly keys?: KeyGroup;
  /** Its place in the navigation; left out: reached through other pages. */
  readonly nav?: {
    readonly title: string;
    readonly icon: ComponentType;
    readonly section: 'Overview' | 'Endpoints' | 'Intrusion detection';
  };
};
