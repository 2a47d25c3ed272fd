// SPDX-License-Identifier: Apache-2.0
/** `palisade rules enable | disable | reset`: rules of a running server are turned on and off. */
import {type CliIo, UsageError} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {EVERYWHERE, withIdsClient} from '../connection/connection.ts';
import {switchFlags} from './rule-flags.ts';
import {ruleIdOf} from './server-rules.ts';
import {showUpdates} from './update-rules.ts';

const DEFAULT_SET = 'default';
const MANY = {max: Number.POSITIVE_INFINITY};

export const runSwitch = async (
  action: 'enable' | 'disable' | 'reset',
  words: readonly string[],
  io: CliIo,
): Promise<number> => {
  const {options: flags, positionals} = parseOptions(words, switchFlags, MANY);
  if (positionals.length === 0) throw new UsageError('a rule is required: SID or GID:SID, such as 2019401');
  const ids = [...new Set(positionals.map(ruleIdOf))];
  return withIdsClient(flags, io, async client => {
    const set = `${EVERYWHERE}/ruleSets/${flags.set ?? DEFAULT_SET}`;
    const {ruleSets = []} = await client.switchRules(set, {[action]: ids});
    return showUpdates(ruleSets, flags.json, io);
  });
};
