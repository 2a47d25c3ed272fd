// SPDX-License-Identifier: Apache-2.0
/** All components but Chart, which lazy pages import from `ui/chart/chart.tsx`. */
export * from './base/badge.tsx';
export * from './base/button.tsx';
export * as icons from './base/icons.tsx';
export * from './base/page-header.tsx';
export * from './base/side-panel.tsx';
export * from './class-names.ts';
export * from './data/copy-button.tsx';
export * from './data/diff-view.tsx';
export * from './data/key-values.tsx';
export * from './data/number-text.ts';
export * from './data/squares.tsx';
export * from './data/time.tsx';
export * from './data/time-text.ts';
export * from './form/field.tsx';
export * from './form/filter-bar.tsx';
export * from './form/scope-field.tsx';
export * from './overlay/dialog.tsx';
export * from './overlay/menu.tsx';
export * from './overlay/tabs.tsx';
export * from './overlay/tooltip.tsx';
export * from './state/states.tsx';
export * from './state/toaster.tsx';
export * from './state/toasts.ts';
export * from './table/columns.ts';
export * from './table/name-cell.tsx';
export * from './table/virtual-table.tsx';
export * from './use-screen.ts';
