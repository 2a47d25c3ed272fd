// SPDX-License-Identifier: Apache-2.0
/** Rule sets and rules of our server. Each method throws as those of IdsClient. */
import type {RuleMessage, RuleSetMessage, RuleSetUpdateMessage} from '@palisade/ids-wire';
import type {HttpRequest} from '../http/contract.ts';
import {resourcePath} from './resource-path.ts';

type CallOptions = {readonly signal?: AbortSignal | undefined};

/** Rules by `gid:sid`, or `sid` where the gid is 1; each in one of the lists, at most 1,000 in all. */
export type SwitchRequest = {
  readonly enable?: readonly string[] | undefined;
  readonly disable?: readonly string[] | undefined;
  /** What the files and the configuration say counts again. */
  readonly reset?: readonly string[] | undefined;
};

export interface RuleCalls {
  /** `name`: `projects/P/locations/L/ruleSets/SET`. */
  getRuleSet(name: string, options?: CallOptions): Promise<RuleSetMessage>;
  /** With its text. `name`: of the rule set, `id`: `gid:sid`. */
  getRule(ruleSet: string, id: string, options?: CallOptions): Promise<RuleMessage>;
  /** Turns rules on and off; resolves when every Suricata of the set has the rules. Needs ids.rules.update in all projects. */
  switchRules(
    ruleSet: string,
    request: SwitchRequest,
    options?: CallOptions,
  ): Promise<{readonly ruleSets?: readonly RuleSetUpdateMessage[]}>;
}

/** `silenceMs`: how long verifying and loading a large rule set may take. */
export const ruleCalls = (call: <T>(request: HttpRequest) => Promise<T>, silenceMs: number): RuleCalls => ({
  getRuleSet: (name, options) => call({method: 'GET', path: resourcePath(name), signal: options?.signal}),
  getRule: (ruleSet, id, options) =>
    call({method: 'GET', path: resourcePath(`${ruleSet}/rules/${id}`), signal: options?.signal}),
  switchRules: (ruleSet, request, options) =>
    call({
      method: 'POST',
      path: `${resourcePath(`${ruleSet}/rules`)}:switch`,
      body: JSON.stringify(request),
      silenceMs,
      signal: options?.signal,
    }),
});
