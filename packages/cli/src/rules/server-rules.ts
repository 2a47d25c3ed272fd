// SPDX-License-Identifier: Apache-2.0
/** Rule sets and rules of a server, page by page, and the words that name them. */
import type {IdsClient} from '@palisade/client';
import type {RuleMessage, RuleSetMessage} from '@palisade/ids-wire';
import {UsageError} from '../command-line/io.ts';
import {EVERYWHERE} from '../connection/connection.ts';

const PAGE = 1_000;

/** Where rules are asked for: all projects, or one. Throws UsageError. */
export const parentOf = (project: string | undefined): string => {
  if (project === undefined) return EVERYWHERE;
  if (/^[^/\s]+$/.test(project)) return `projects/${project}/locations/-`;
  throw new UsageError(`--project ${project}: give the name of one project, such as p`);
};

/** `gid:sid` of what the user gave. Throws UsageError. */
export const ruleIdOf = (word: string | undefined): string => {
  if (word === undefined) throw new UsageError('a rule is required: SID or GID:SID, such as 2019401');
  const [, gid = '1', sid] = /^(?:(\d{1,10}):)?(\d{1,10})$/.exec(word) ?? [];
  if (sid === undefined) throw new UsageError(`"${word}": must be SID or GID:SID, such as 2019401 or 1:2019401`);
  return `${Number(gid)}:${Number(sid)}`;
};

export async function* allRuleSets(
  client: Pick<IdsClient, 'listRuleSets'>,
  parent: string,
): AsyncGenerator<RuleSetMessage> {
  for (let pageToken = ''; ; ) {
    const page = await client.listRuleSets(parent, {pageSize: PAGE, ...(pageToken === '' ? {} : {pageToken})});
    yield* page.ruleSets ?? [];
    pageToken = page.nextPageToken ?? '';
    if (pageToken === '') return;
  }
}

type Asked = {readonly set?: string | undefined; readonly filter?: string | undefined; readonly full?: boolean};

/** Of one set, or of all. */
export async function* allRules(
  client: Pick<IdsClient, 'listRules'>,
  parent: string,
  {set = '-', filter, full = false}: Asked,
): AsyncGenerator<RuleMessage> {
  const query = {pageSize: PAGE, full, ...(filter === undefined ? {} : {filter})};
  for (let pageToken = ''; ; ) {
    const paged = pageToken === '' ? query : {...query, pageToken};
    const page = await client.listRules(`${parent}/ruleSets/${set}`, paged);
    yield* page.rules ?? [];
    pageToken = page.nextPageToken ?? '';
    if (pageToken === '') return;
  }
}

export const collected = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

/** A text of AIP-160 that stands for itself. */
export const literal = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
