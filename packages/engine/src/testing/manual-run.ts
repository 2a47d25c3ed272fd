// SPDX-License-Identifier: Apache-2.0
/** A deployment driven by a test in place of a program: registrations are calls, the state is a list. */

import {DefaultProviders} from '../deploy/default-providers.ts';
import type {EngineEvent} from '../deploy/events.ts';
import {emptyGoal, type Goal} from '../deploy/goal.ts';
import {ProviderRegistry} from '../deploy/providers/provider-registry.ts';
import {Run} from '../deploy/run.ts';
import {Snapshot} from '../deploy/snapshot.ts';
import {deleteAll, deleteUnnamed} from '../deploy/steps/delete.ts';
import {refreshAll} from '../deploy/steps/refresh.ts';
import {registerResource} from '../deploy/steps/register.ts';
import {Targets} from '../deploy/targets.ts';
import {type Deployment, EMPTY_DEPLOYMENT, readDeployment} from '../state/deployment-file.ts';
import {SecretsManager} from '../state/secrets.ts';
import {ROOT_STACK_TYPE} from '../state/urn.ts';
import {realSystem} from '../system.ts';
import type {FakeCloud} from './fake-cloud.ts';

/** Keeps the state between runs, as text: every run starts from what was written. */
export class ManualStack {
  readonly cloud: FakeCloud;
  /** Every deployment that was written, oldest first. */
  readonly written: string[] = [];
  readonly #secrets = new SecretsManager({state: undefined, passphrase: () => 'test', random: realSystem().random});

  constructor(cloud: FakeCloud) {
    this.cloud = cloud;
  }

  async state(): Promise<Deployment> {
    const text = this.written.at(-1);
    return text === undefined ? EMPTY_DEPLOYMENT : readDeployment(JSON.parse(text), this.#secrets);
  }

  /** Registers the goals through `program`, then deletes what was not named. Resolves to what happened. */
  async deploy(
    program: (register: (goal: Partial<Goal> & {name: string}) => Promise<string>) => Promise<void>,
  ): Promise<{run: Run; events: readonly EngineEvent[]}> {
    const {run, events} = await this.#start();
    try {
      await registerResource(run, {...emptyGoal(ROOT_STACK_TYPE, 'p-s')});
      await program(async goal => {
        const state = await registerResource(run, {...emptyGoal('fake:index:Thing', goal.name), custom: true, ...goal});
        return state.urn;
      });
      if (!run.failed) await deleteUnnamed(run);
    } finally {
      await run.snapshot?.flush();
    }
    return {run, events};
  }

  async destroy(): Promise<{run: Run; events: readonly EngineEvent[]}> {
    const {run, events} = await this.#start();
    await deleteAll(run);
    await run.snapshot?.flush();
    return {run, events};
  }

  async refresh(): Promise<{run: Run; events: readonly EngineEvent[]}> {
    const {run, events} = await this.#start();
    run.snapshot?.rebase(await refreshAll(run));
    await run.snapshot?.flush();
    return {run, events};
  }

  async #start(): Promise<{run: Run; events: EngineEvent[]}> {
    const state = await this.state();
    const events: EngineEvent[] = [];
    const system = realSystem();
    const snapshot = new Snapshot({
      base: state.resources,
      pending: state.pendingOperations,
      extra: state.extra,
      store: {save: async pieces => void this.written.push(Buffer.concat(pieces).toString())},
      secrets: this.#secrets,
      unlockSecrets: () => this.#secrets.unlock(),
      clock: system.clock,
    });
    const run: Run = new Run({
      stack: 's',
      project: 'p',
      dryRun: false,
      parallel: 4,
      prior: state.resources,
      snapshot,
      providers: new ProviderRegistry({fake: () => this.cloud.provider()}),
      targets: new Targets(),
      autonamer: undefined,
      emit: event => void events.push(event),
      system,
      continueOnError: false,
      unlockSecrets: () => Promise.resolve(),
    });
    run.defaults = new DefaultProviders({config: () => ({}), disabled: []}, goal => registerResource(run, goal));
    return {run, events};
  }
}
