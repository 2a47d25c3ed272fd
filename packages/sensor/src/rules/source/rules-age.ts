// SPDX-License-Identifier: Apache-2.0
/** How old the rules of a set are, by source: when its file was last changed, or its URL was last fetched. */
import {stat} from 'node:fs/promises';
import {basename} from 'node:path';
import {pathsOf} from './download.ts';
import {isUrl, shownPlace} from './rule-file.ts';

export type SourceAge = {
  /** For people. */
  readonly source: string;
  readonly updatedMs: number;
  /** Somebody keeps it up to date: a URL, or what `suricata-update` writes. */
  readonly isUpdated: boolean;
};

const DAY_MS = 86_400_000;
/** Rule feeds change daily; after this long nobody runs the update any more. */
export const RULES_OLD_DAYS = 30;
/** Ref: suricata-update, its default output. */
const SURICATA_UPDATE_OUTPUT = 'suricata.rules';

/** Sources that are gone, or no files, have no age. */
export const agesOf = async (sources: readonly string[], cacheDir: string): Promise<readonly SourceAge[]> => {
  const ages = await Promise.all(
    sources.map(async (source): Promise<SourceAge | undefined> => {
      const path = isUrl(source) ? pathsOf(cacheDir, source).mark : source;
      const updatedMs = await stat(path).then(
        ({mtimeMs}) => Math.round(mtimeMs),
        () => undefined,
      );
      const isUpdated = isUrl(source) || basename(source) === SURICATA_UPDATE_OUTPUT;
      return updatedMs === undefined ? undefined : {source: shownPlace(source), updatedMs, isUpdated};
    }),
  );
  return ages.filter(age => age !== undefined);
};

const daysSince = (ms: number, nowMs: number): number => Math.max(0, Math.floor((nowMs - ms) / DAY_MS));

export type RulesAge = {
  /** RFC 3339: when a source was updated, or the active rules changed, whichever is later. */
  readonly updated: string | undefined;
  readonly days: number | undefined;
  /** What is to be known of sources that are no longer updated. */
  readonly notes: readonly string[];
};

/** `changedMs`: when the active rules took the place of others, which is also so for a list that they name. */
export const rulesAge = (ages: readonly SourceAge[], nowMs: number, changedMs?: number): RulesAge => {
  const times = [...ages.map(age => age.updatedMs), ...(changedMs === undefined ? [] : [changedMs])];
  const updatedMs = times.length === 0 ? undefined : Math.max(...times);
  const old = ages.filter(age => age.isUpdated && daysSince(age.updatedMs, nowMs) > RULES_OLD_DAYS);
  return {
    updated: updatedMs === undefined ? undefined : new Date(updatedMs).toISOString(),
    days: updatedMs === undefined ? undefined : daysSince(updatedMs, nowMs),
    notes: old.map(
      ({source, updatedMs: ms}) =>
        `rules of ${source} were last updated ${daysSince(ms, nowMs)} days ago: run ${isUrl(source) ? 'palisade rules update' : 'suricata-update'}`,
    ),
  };
};
