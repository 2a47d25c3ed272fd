// SPDX-License-Identifier: Apache-2.0
/** The code of a page that could not be fetched, and how the console comes back from it. */
import type {Lost} from '../api/connection.ts';
import type {Store} from '../api/store.ts';
import type {Page} from '../pages/page.ts';

/** As Chrome, Firefox, Safari and the loader of Vite word it. */
const MISSING = /dynamically imported module|importing a module script failed|unable to preload/i;

/** Whether the code of a page could not be fetched; after an update of the server its files have other names. */
export const isCodeMissing = (error: unknown): boolean => error instanceof Error && MISSING.test(error.message);

/** Loads the code of a page. The router reloads at once where it knows the error, also while no server answers: it gets another one. */
export const loadCode =
  (load: Page['load'], onLoaded: () => void = () => {}): Page['load'] =>
  async () => {
    try {
      const code = await load();
      onLoaded();
      return code;
    } catch (error) {
      throw isCodeMissing(error) ? new Error(`the page has no code: ${(error as Error).message}`) : error;
    }
  };

/** The title of a page that could not be loaded: its own, or that of the page above it. */
export function titleOf({path, nav}: Pick<Page, 'path' | 'nav'>, pages: readonly Pick<Page, 'path' | 'nav'>[]): string {
  const above = pages.filter(one => one.nav !== undefined && path.startsWith(`${one.path}/`));
  return nav?.title ?? above.at(-1)?.nav?.title ?? 'Error';
}

export type Comeback = {
  readonly lost: Store<Lost>;
  /** Asks the server for anything. */
  readonly ask: () => Promise<unknown>;
  /** Browsers do not fetch a module again that failed: the whole page is loaded again. Its state is in its address. */
  readonly reload: () => void;
  /** The page was loaded again already, by itself: a server that answers has no such code. */
  readonly isSecond: boolean;
};

/** Reloads when the server is back, and once if it answers. Returns what ends it. */
export function reloadWhenBack({lost, ask, reload, isSecond}: Comeback): () => void {
  let isOver = false;
  let wasLost = lost.get() !== '';
  const end = lost.subscribe(() => {
    if (lost.get() !== '') wasLost = true;
    else if (wasLost) reload();
  });
  if (!wasLost)
    ask().then(
      () => {
        if (!isOver && !wasLost && !isSecond) reload();
      },
      () => {}, // It is lost now: its return is waited for.
    );
  return () => {
    isOver = true;
    end();
  };
}
