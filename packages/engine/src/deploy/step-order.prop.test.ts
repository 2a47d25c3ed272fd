// SPDX-License-Identifier: Apache-2.0
/**
 * Random programs, one after the other on the same stack. Whatever changes between them:
 * what is needed is created before what needs it and deleted after it; every state that was written is sound; in the end there is
 * exactly what the last program names; and running it again changes nothing.
 */
import {ProviderError} from '@palisade/provider';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {readDeployment} from '../state/deployment-file.ts';
import {integrityFaults} from '../state/integrity.ts';
import {SecretsManager} from '../state/secrets.ts';
import {realSystem} from '../system.ts';
import {FakeCloud} from '../testing/fake-cloud.ts';
import {ManualStack} from '../testing/manual-run.ts';
import {hasChanges} from './events.ts';
import {StepFailure} from './run.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
type Name = (typeof NAMES)[number];

/** Needs only what stands before it. `via`: as an input that replaces, as one that updates, only as an order, or as the parent. */
type Need = {readonly on: Name; readonly via: 'key' | 'value' | 'order' | 'parent'};
type Declared = {
  readonly name: Name;
  readonly needs: readonly Need[];
  readonly key: number;
  readonly value: number;
  readonly early: boolean;
};
type Program = readonly Declared[];

const declared = (index: number): fc.Arbitrary<Declared | undefined> =>
  fc.option(
    fc.record({
      name: fc.constant(NAMES[index] ?? 'a'),
      needs: fc.uniqueArray(
        fc.record({
          on: fc.constantFrom(...NAMES.slice(0, Math.max(1, index))),
          via: fc.constantFrom('key', 'value', 'order', 'parent'),
        }),
        {maxLength: 2, selector: need => need.on},
      ),
      key: fc.integer({min: 0, max: 1}),
      value: fc.integer({min: 0, max: 1}),
      early: fc.boolean(),
    }),
    {nil: undefined, freq: 4},
  ) as fc.Arbitrary<Declared | undefined>;

const program: fc.Arbitrary<Program> = fc.tuple(...NAMES.map((_, index) => declared(index))).map(list => {
  const there = list.filter(item => item !== undefined);
  const names = new Set(there.map(item => item.name));
  return there.map(item => ({...item, needs: item.needs.filter(need => need.on !== item.name && names.has(need.on))}));
});

async function deploy(stack: ManualStack, list: Program) {
  return stack.deploy(async register => {
    const urns = new Map<Name, Promise<string>>();
    for (const item of list) urns.set(item.name, registerItem(register, item, urns, stack.cloud));
    await Promise.allSettled(urns.values()).then(results => {
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    });
  });
}

async function registerItem(
  register: Parameters<Parameters<ManualStack['deploy']>[0]>[0],
  item: Declared,
  urns: ReadonlyMap<Name, Promise<string>>,
  cloud: FakeCloud,
): Promise<string> {
  const needs = await Promise.all(item.needs.map(async need => ({...need, urn: (await urns.get(need.on)) ?? ''})));
  const idOf = (name: Name): string =>
    [...cloud.objects.values()].filter(object => object.inputs['label'] === name).at(-1)?.id ?? '';
  const at = (via: Need['via']) => needs.filter(need => need.via === via);
  const text = (own: number, via: Need['via']): string => [own, ...at(via).map(need => idOf(need.on))].join('/');
  return register({
    name: item.name,
    inputs: {label: item.name, key: text(item.key, 'key'), value: text(item.value, 'value'), early: item.early},
    parent: at('parent')[0]?.urn ?? '',
    dependencies: needs.filter(need => need.via !== 'parent').map(need => need.urn),
    propertyDependencies: {key: at('key').map(need => need.urn), value: at('value').map(need => need.urn)},
  });
}

describe('order of steps', () => {
  test('holds for any sequence of programs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(program, {minLength: 2, maxLength: 4}), async programs => {
        const cloud = new FakeCloud();
        const stack = new ManualStack(cloud);
        for (const list of programs) {
          cloud.take();
          const {run, events} = await deploy(stack, list);
          expect(events.filter(event => event.kind === 'diagnostic')).toEqual([]);
          expect(run.failed).toBe(false);
          expect([...cloud.objects.values()].map(object => object.inputs['label']).sort()).toEqual(
            list.map(item => item.name),
          );
          assertOrder(cloud.take(), list);
        }
        await assertSound(stack);
        const again = await deploy(stack, programs.at(-1) ?? []);
        expect(hasChanges(again.run.changes.summary)).toBe(false);
        await stack.destroy();
        expect(cloud.objects.size).toBe(0);
        expect((await stack.state()).resources).toEqual([]);
      }),
      {numRuns: 60},
    );
  });
});

describe('objects that go missing', () => {
  test('F-05 a refresh leaves a sound state whatever is gone, and the next run makes it whole again', async () => {
    const lossy = fc.record({list: program, lost: fc.subarray([...NAMES]), failAt: fc.integer({min: 0, max: 12})});
    await fc.assert(
      fc.asyncProperty(fc.array(lossy, {minLength: 1, maxLength: 3}), async steps => {
        const cloud = new FakeCloud();
        const stack = new ManualStack(cloud);
        for (const {list, lost, failAt} of steps) {
          let calls = 0;
          cloud.before = call => {
            if (!/^(create|update|delete) /.test(call)) return;
            calls += 1;
            if (calls - 1 === failAt) throw new ProviderError('unavailable', 'a fault of the test');
          };
          await deploy(stack, list).catch((error: unknown) => {
            if (!(error instanceof StepFailure)) throw error;
          });
          for (const {id, inputs} of [...cloud.objects.values()])
            if (lost.some(name => name === inputs['label'])) cloud.objects.delete(id);
          await stack.refresh();
        }
        cloud.before = () => undefined;
        const list = steps.at(-1)?.list ?? [];
        expect((await deploy(stack, list)).run.failed).toBe(false);
        expect([...cloud.objects.values()].map(object => object.inputs['label']).sort()).toEqual(
          list.map(item => item.name),
        );
        await assertSound(stack);
      }),
      {numRuns: 60},
    );
  });
});

describe('failures on the way', () => {
  test('the next run that succeeds ends with exactly what the program names, and no object is lost', async () => {
    const faulty = fc.record({list: program, failAt: fc.integer({min: 0, max: 12})});
    await fc.assert(
      fc.asyncProperty(fc.array(faulty, {minLength: 2, maxLength: 4}), async steps => {
        const cloud = new FakeCloud();
        const stack = new ManualStack(cloud);
        for (const {list, failAt} of steps) {
          let calls = 0;
          cloud.before = call => {
            if (!/^(create|update|delete) /.test(call)) return;
            calls += 1;
            if (calls - 1 === failAt) throw new ProviderError('unavailable', 'a fault of the test');
          };
          await deploy(stack, list).catch((error: unknown) => {
            if (!(error instanceof StepFailure)) throw error;
          });
          await assertKnown(stack, cloud);
        }
        cloud.before = () => undefined;
        const list = steps.at(-1)?.list ?? [];
        const {run} = await deploy(stack, list);
        expect(run.failed).toBe(false);
        expect([...cloud.objects.values()].map(object => object.inputs['label']).sort()).toEqual(
          list.map(item => item.name),
        );
        await assertSound(stack);
      }),
      {numRuns: 60},
    );
  });
});

/** Every object of the cloud stands in the state: nothing was forgotten. */
async function assertKnown(stack: ManualStack, cloud: FakeCloud): Promise<void> {
  const known = new Set((await stack.state()).resources.map(resource => resource.id));
  expect([...cloud.objects.keys()].filter(id => !known.has(id))).toEqual([]);
}

function assertOrder(calls: readonly string[], list: Program): void {
  const lastCreate = (name: Name): number => calls.lastIndexOf(`create ${name}`);
  for (const item of list)
    for (const need of item.needs)
      if (lastCreate(item.name) >= 0 && lastCreate(need.on) >= 0)
        expect(lastCreate(need.on)).toBeLessThan(lastCreate(item.name));
}

/** Every state on the way could be read by the next run. */
async function assertSound(stack: ManualStack): Promise<void> {
  const secrets = new SecretsManager({state: undefined, passphrase: () => undefined, random: realSystem().random});
  for (const text of stack.written) {
    const {resources} = await readDeployment(JSON.parse(text), secrets);
    expect(integrityFaults(resources)).toEqual([]);
  }
}
