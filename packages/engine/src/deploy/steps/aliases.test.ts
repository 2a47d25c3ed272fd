// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {FakeCloud, ManualStack} from '../../testing/index.ts';

type Names = {readonly pair: string; readonly aliases?: readonly string[]; readonly until?: 'pair' | 'one'};

/** A component with a child and a grandchild that are named after it; `until`: it fails behind that one. */
async function deployPair(stack: ManualStack, {pair, aliases = [], until}: Names): Promise<void> {
  await stack.deploy(async register => {
    const fail = () => register({name: 'bad', inputs: {bad: true}});
    const former = aliases.map(name => ({name, type: '', stack: '', project: '', parent: undefined}));
    const parent = await register({type: 'my:index:Pair', custom: false, name: pair, aliases: former});
    if (until === 'pair') await fail();
    const one = await register({name: `${pair}-one`, parent, inputs: {name: 'first'}});
    if (until === 'one') await fail();
    await register({name: `${pair}-one-two`, parent: one, inputs: {name: 'second'}});
  });
}

test.each(['pair', 'one'] as const)(
  'E-274 a run that fails behind the renamed %s leaves its children to the next one',
  async until => {
    const cloud = new FakeCloud();
    const stack = new ManualStack(cloud);
    await deployPair(stack, {pair: 'old'});
    await expect(deployPair(stack, {pair: 'new', aliases: ['old'], until})).rejects.toThrow('is invalid');
    await deployPair(stack, {pair: 'new', aliases: ['old']});
    expect([...cloud.objects.keys()]).toEqual(['id-1', 'id-2']);
    expect(stack.written.at(-1)).not.toContain('::old');
  },
);

test('E-274 an alias that is left in the program takes nothing from another component that has the former name', async () => {
  const cloud = new FakeCloud();
  const stack = new ManualStack(cloud);
  const both = (more: boolean) =>
    stack.deploy(async register => {
      for (const pair of ['old', 'new']) {
        const aliases = pair === 'new' ? [{name: 'old', type: '', stack: '', project: '', parent: undefined}] : [];
        const parent = await register({type: 'my:index:Pair', custom: false, name: pair, aliases});
        if (pair === 'old' || more) await register({name: `${pair}-one`, parent});
      }
    });
  await deployPair(stack, {pair: 'new'});
  await both(false);
  await both(true);
  expect(
    (await stack.state()).resources.flatMap(({urn}) => (urn.endsWith('-one') ? [urn.split('::').at(-1)] : [])),
  ).toEqual(['old-one', 'new-one']);
});
