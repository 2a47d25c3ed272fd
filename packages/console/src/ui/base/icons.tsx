// SPDX-License-Identifier: Apache-2.0
/** Line drawings of 16 px in the colour of the text; always next to a word, or with a label. */
import type {ReactNode} from 'react';

const icon = (path: string) =>
  function Icon(): ReactNode {
    return (
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        <path
          d={path}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.4"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    );
  };

export const CloseIcon = icon('M4 4l8 8M12 4l-8 8');
export const MenuIcon = icon('M2.5 4h11M2.5 8h11M2.5 12h11');
export const CopyIcon = icon('M5.5 5.5h7v7h-7zM3.5 10.5v-7h7');
export const CheckIcon = icon('M3 8.5l3.2 3.2L13 4.8');
export const SearchIcon = icon('M7 11.5a4.5 4.5 0 1 1 0-9 4.5 4.5 0 0 1 0 9zM10.5 10.5L13.5 13.5');
export const UserIcon = icon('M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM3 13.5c.6-2.4 2.5-3.5 5-3.500s4.4 1.1 5 3.5');
export const ThemeIcon = icon('M8 2.500a5.5 5.5 0 1 0 0 11zM8 2.500a5.5 5.5 0 0 1 0 11');
export const KeyboardIcon = icon('M1.5 4h13v8h-13zM4 6.500h.01M6.5 6.500h.01M9 6.500h.01M11.5 6.500h.01M5 9.500h6');
export const OverviewIcon = icon(
  'M2.5 2.500h4.500v5h-4.500zM9 2.500h4.500v3h-4.500zM9 7.500h4.500v6h-4.500zM2.5 9.500h4.500v4h-4.500z',
);
export const EndpointsIcon = icon('M3 3.500h10M3 8h10M3 12.500h10M5 3.500v0M2 3.500h.01M2 8h.01M2 12.500h.01');
export const SensorIcon = icon(
  'M8 9.200a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.400zM5 11a4.2 4.2 0 0 1 0-6M11 5a4.2 4.2 0 0 1 0 6M3 13a7 7 0 0 1 0-10M13 3a7 7 0 0 1 0 10',
);
export const ThreatIcon = icon('M8 2l6 11H2zM8 6.500v3M8 11.500h.01');
export const TrafficIcon = icon('M2 5.500h11M10 2.500l3 3-3 3M14 10.500H3M6 7.500l-3 3 3 3');
export const RulesIcon = icon('M4 2.500h8v11H4zM6 5.500h4M6 8h4M6 10.500h2.5');
export const GroupsIcon = icon(
  'M5.5 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM2 12.500c.4-2 1.7-3 3.5-3s3.1 1 3.5 3M10.5 3.300a2 2 0 0 1 0 3.500M11 9.700c1.6.2 2.7 1.2 3 2.8',
);
export const DownIcon = icon('M4 6l4 4 4-4');
export const RefreshIcon = icon('M13 8a5 5 0 1 1-1.5-3.500M13 2.500v2.500h-2.5');
export const DownloadIcon = icon('M8 2.500v7.500M5 7l3 3 3-3M3 13h10');
export const PlusIcon = icon('M8 3v10M3 8h10');
