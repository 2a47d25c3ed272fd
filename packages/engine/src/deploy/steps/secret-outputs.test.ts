// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {FakeCloud, ManualStack} from '../../testing/index.ts';

test('a name in additionalSecretOutputs that is no output is told, but not of a provider, whose list the SDK makes', async () => {
  const stack = new ManualStack(new FakeCloud());
  const additionalSecretOutputs = ['nope'];
  const deploy = () =>
    stack.deploy(async register => {
      await register({type: 'pulumi:providers:fake', name: 'given', additionalSecretOutputs});
      await register({name: 'thing', additionalSecretOutputs});
    });
  await deploy();
  const {events} = await deploy();
  const told = events.filter(event => event.kind === 'diagnostic');
  expect(told.map(({urn, message}) => [urn.split('::').at(-1), message])).toEqual([
    ['thing', "Could not find property 'nope' listed in additional secret outputs."],
  ]);
});
