// SPDX-License-Identifier: Apache-2.0
/** Configuration under the name `pulumi`, which is for the engine. Ref: Pulumi deploy/default_providers.go shouldDenyRequest. */
import {EngineError} from '../engine-error.ts';
import {isJsonObject, type Json, type JsonObject} from '../state/resource-json.ts';
import type {ConfigMap} from './config-value.ts';
import {judgeKeys} from './key-rules.ts';
import {PULUMI_CONFIG_KEYS} from './known-keys.ts';

export type PulumiSettings = {
  readonly autonaming: JsonObject | undefined;
  /** Packages without a default provider; `*`: all. */
  readonly disabledDefaults: readonly string[];
};

const NAMESPACE = 'pulumi:';

/** Throws EngineError for a value that cannot be what it should be, and for a key that is most likely misspelt. */
export function pulumiSettings(merged: ConfigMap): PulumiSettings {
  const own = [...merged].filter(([key]) => key.startsWith(NAMESPACE));
  const values: JsonObject = Object.fromEntries(own.map(([key, value]) => [key.slice(NAMESPACE.length), value]));
  const {wrong} = judgeKeys(values, PULUMI_CONFIG_KEYS, {isOpen: true, at: NAMESPACE});
  if (wrong.length > 0) throw new EngineError(wrong.map(fault => `configuration ${fault}`).join('\n'));
  const {autonaming, 'disable-default-providers': disabled = ''} = values;
  return {autonaming: isJsonObject(autonaming) ? autonaming : undefined, disabledDefaults: packageNames(disabled)};
}

/** A list, also as JSON in a text. */
function packageNames(value: Json): readonly string[] {
  const list = typeof value === 'string' ? parsedList(value) : value;
  if (Array.isArray(list) && list.every(name => typeof name === 'string')) return list.map(name => name.trim());
  throw new EngineError(
    `configuration pulumi:disable-default-providers: expected a list of package names, found ${JSON.stringify(value)}: ` +
      "palisade config set --path 'pulumi:disable-default-providers[0]' NAME",
  );
}

function parsedList(text: string): unknown {
  if (text === '') return [];
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
