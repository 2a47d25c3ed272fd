// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

const preview = async (): Promise<Record<string, number>> => {
  const ran = await bench.run('preview', '--json');
  if (ran.code !== 0) throw new Error(ran.all);
  bench.cloud.take();
  return JSON.parse(ran.out).changeSummary;
};

describe('E-274 options of a resource', () => {
  test('E-026 E-274 dependsOn: order of creation and deletion', async () => {
    bench.program(`
      const first = new Thing('first', {value: 1});
      const second = new Thing('second', {value: 2}, {dependsOn: [first]});
      new Thing('third', {value: 3}, {dependsOn: second});
    `);
    await bench.up();
    expect(bench.cloud.take().filter(call => call.startsWith('create'))).toEqual([
      'create first',
      'create second',
      'create third',
    ]);
    await bench.run('destroy', '--yes', '--skip-preview');
    expect(bench.cloud.take()).toEqual(['delete third', 'delete second', 'delete first']);
  });

  test('E-026 E-274 protect: destroy is refused, the others go, and up without protect lets it go', async () => {
    bench.program("new Thing('kept', {value: 1}, {protect: true}); new Thing('other', {value: 1});");
    await bench.up();
    const refused = await bench.run('destroy', '--yes', '--skip-preview');
    expect(refused.code).toBe(1);
    expect(refused.all).toMatch(/cannot be deleted\s+because it is protected/);
    const [, wayOut = 'nothing is quoted'] = /use the command:\s+`palisade (.*?)'`/.exec(refused.all) ?? [];
    expect(wayOut).toMatch(/^state unprotect 'urn:pulumi:.*::kept$/);
    expect([...bench.cloud.objects.values()].map(object => String(object.inputs['name']).split('-')[0])).toEqual([
      'kept',
    ]);
    bench.program("new Thing('kept', {value: 1}, {protect: false});");
    await bench.up();
    expect((await bench.run('destroy', '--yes', '--skip-preview')).code).toBe(0);
    expect(bench.cloud.objects.size).toBe(0);
  });

  test('what is protected ends destroy and up in their preview: nothing that needs it is deleted either', async () => {
    bench.program("const kept = new Thing('kept', {}, {protect: true}); new Thing('needs', {value: kept.computed});");
    await bench.up();
    const urn = String(bench.resource('kept')?.['urn']);
    bench.program('');
    for (const words of [['destroy', '--target', urn, '--target-dependents'], ['destroy'], ['up']]) {
      const ran = await bench.run(...words, '--yes');
      expect(ran).toMatchObject({code: 1, err: expect.stringContaining('because it is protected')});
      expect(bench.cloud.objects.size).toBe(2);
    }
  });

  test('E-274 protect stops a replacement before anything is created', async () => {
    bench.program("new Thing('kept', {key: cfg.get('key')}, {protect: true});");
    await bench.up();
    await bench.run('config', 'set', 'key', 'k2');
    const ran = await bench.up(1);
    expect(ran.all).toMatch(/unable to replace resource .*\s+as it is currently marked for protection/);
    expect(bench.cloud.objects.size).toBe(1);
  });

  test('E-274 a preview shows every replacement that protection forbids, and fails', async () => {
    bench.program(
      "for (const name of ['a', 'b']) new Thing(name, {key: cfg.get('key')}, {protect: true}); new Thing('c', {});",
    );
    await bench.up();
    await bench.run('config', 'set', 'key', 'k2');
    const ran = await bench.run('preview', '--json');
    expect(ran.code).toBe(1);
    const {changeSummary, diagnostics} = JSON.parse(ran.out);
    expect(changeSummary).toEqual({replace: 2, same: 2});
    const errors = diagnostics.filter((told: {severity: string}) => told.severity === 'error');
    expect(errors).toHaveLength(3);
    expect(errors.at(-1)).toEqual({message: 'error: preview failed\n', severity: 'error'});
  });

  test('E-274 retainOnDelete: the state forgets, the object stays', async () => {
    bench.program("new Thing('kept', {value: 1}, {retainOnDelete: true});");
    await bench.up();
    bench.program('');
    await bench.up();
    expect(bench.resource('kept')).toBeUndefined();
    expect(bench.cloud.objects.size).toBe(1);
  });

  test('E-274 ignoreChanges on nested paths, replaceOnChanges on nested paths', async () => {
    const program = (a: number, b: number): void =>
      bench.program(`
        new Thing('t', {deep: {a: ${a}, b: ${b}}, list: [{x: ${a}, y: ${b}}]},
          {ignoreChanges: ['deep.a', 'list[*].x'], replaceOnChanges: ['deep.b']});
      `);
    program(1, 1);
    await bench.up();
    program(2, 1);
    expect(await preview()).toEqual({same: 2});
    await bench.up(0, '--expect-no-changes');
    program(2, 2);
    expect(await preview()).toEqual({replace: 1, same: 1});
    await bench.up();
    expect([...bench.cloud.objects.values()].map(object => object.inputs['deep'])).toEqual([{a: 2, b: 2}]);
  });

  test('E-274 deleteBeforeReplace takes dependents along and creates them again', async () => {
    bench.program(`
      const opts = {deleteBeforeReplace: true};
      const root = new Thing('root', {key: cfg.get('key') ?? 'k1'}, opts);
      const dependent = new Thing('dependent', {key: root.computed});
      const loose = new Thing('loose', {value: root.computed});
      new Thing('ordered', {value: 1}, {dependsOn: root});
    `);
    await bench.up();
    await bench.run('config', 'set', 'key', 'k2');
    expect(await preview()).toEqual({replace: 2, same: 2, update: 1});
    await bench.up();
    const calls = bench.cloud.take();
    const order = calls.filter(call => /^(create|delete|update) /.test(call));
    expect(order).toEqual(['delete dependent', 'delete root', 'create root', 'create dependent', 'update loose']);
    await bench.up(0, '--expect-no-changes');
    expect(
      bench
        .state()
        .resources?.filter(resource => resource['delete'] === true || resource['pendingReplacement'] === true),
    ).toEqual([]);
  });

  test('E-274 a protected dependent keeps a replacement from deleting anything; the error says how to end that', async () => {
    const program = (key: string): void =>
      bench.program(`
        const root = new Thing('root', {key: '${key}'}, {deleteBeforeReplace: true});
        new Thing('held', {key: root.computed}, {protect: true});
      `);
    program('k1');
    await bench.up();
    program('k2');
    bench.cloud.take();
    const {all} = await bench.up(1);
    expect(all).toMatch(
      /replace resource ".*::held"\s+as part of replacing ".*::root"\s+as it is currently marked for protection/,
    );
    expect(all).toMatch(/use the command:\s+`palisade state unprotect 'urn:pulumi:.*::held'`/);
    expect(bench.cloud.take().filter(call => /^(create|delete|update) /.test(call))).toEqual([]);
  });

  test('E-274 the provider may ask for deletion first', async () => {
    bench.program("new Thing('early', {key: cfg.get('key') ?? 'k1', early: true, name: 'fixed'});");
    await bench.up();
    bench.cloud.take();
    await bench.run('config', 'set', 'key', 'k2');
    await bench.up();
    expect(bench.cloud.take().filter(call => /^(create|delete)/.test(call))).toEqual(['delete early', 'create early']);
  });

  test('E-274 the option goes before what the provider asks for', async () => {
    bench.program(`
      const key = cfg.get('key') ?? 'k1';
      new Thing('early', {key, early: true, name: key}, {deleteBeforeReplace: false});
    `);
    await bench.up();
    bench.cloud.take();
    await bench.run('config', 'set', 'key', 'k2');
    await bench.up();
    expect(bench.cloud.take().filter(call => /^(create|delete)/.test(call))).toEqual(['create early', 'delete early']);
  });

  test('E-274 aliases: nothing is replaced, and the old name is gone from the whole state', async () => {
    bench.program(`
      const group = new Group('g-old');
      const a = new Thing('a-old', {value: 1}, {parent: group});
      new Thing('b', {value: a.computed}, {dependsOn: a});
      new Thing('g-old-part', {value: 2}, {parent: group});
      new Thing('moved', {value: 3});
    `);
    await bench.up();
    bench.cloud.take();
    bench.program(`
      const group = new Group('g-new', {}, {aliases: [{name: 'g-old'}]});
      const a = new Thing('a-new', {value: 1}, {parent: group, aliases: [{name: 'a-old'}]});
      new Thing('b', {value: a.computed}, {dependsOn: a});
      new Thing('g-new-part', {value: 2}, {parent: group});
      new Thing('moved', {value: 3}, {parent: group, aliases: [{parent: pulumi.rootStackResource}]});
    `);
    expect(await preview()).toEqual({same: 6});
    await bench.up(0, '--expect-no-changes');
    expect(JSON.stringify(bench.state())).not.toMatch(/::[ag]-old/);
    await bench.up(0, '--expect-no-changes');
    await bench.up(0, '--expect-no-changes');
    expect(bench.cloud.objects.size).toBe(4);
    expect(bench.cloud.take().filter(call => call.startsWith('delete'))).toEqual([]);
  });

  test('E-274 import takes an existing object over; a difference is an update', async () => {
    bench.program("exports.id = new Thing('first', {name: 'n', value: 1}, {retainOnDelete: true}).id;");
    await bench.up();
    bench.program("new Thing('again', {name: 'n', value: 2}, {import: 'id-1'});");
    expect(await preview()).toEqual({delete: 1, import: 1, same: 1, update: 1});
    await bench.up();
    expect(bench.cloud.objects.get('id-1')).toMatchObject({inputs: {value: 2}, version: 2});
    expect(bench.resource('again')).toMatchObject({id: 'id-1', importID: 'id-1'});
    await bench.up(0, '--expect-no-changes');
    bench.program("new Thing('again', {name: 'n', value: 2});");
    await bench.up(0, '--expect-no-changes');
    bench.program("new Thing('gone', {name: 'x', value: 1}, {import: 'id-77'});");
    expect((await bench.up(1)).all).toContain("resource 'id-77' does not exist");
  });

  test('E-274 an import that what the program says would replace is refused, and the object stays as it was', async () => {
    bench.program("new Thing('first', {name: 'n', key: 'k1'}, {retainOnDelete: true});");
    await bench.up();
    bench.program("new Thing('again', {name: 'n', key: 'k2'}, {import: 'id-1'});");
    expect((await bench.up(1)).all).toContain(
      'previously-imported resources that still specify an ID may not be replaced',
    );
    expect([...bench.cloud.objects.values()]).toMatchObject([{id: 'id-1', inputs: {key: 'k1'}, version: 1}]);
  });

  test('E-274 get reads an object and never deletes it', async () => {
    bench.program("new Thing('first', {name: 'n', value: 1}, {retainOnDelete: true});");
    await bench.up();
    bench.program("exports.seen = Thing.get('looked-up', 'id-1').computed;");
    const ran = await bench.up();
    expect(ran.out).toContain('"c-id-1"');
    expect(bench.resource('looked-up')).toMatchObject({external: true, id: 'id-1'});
    expect(bench.resource('looked-up')).not.toHaveProperty('modified');
    await bench.up(0, '--expect-no-changes');
    await bench.run('destroy', '--yes', '--skip-preview');
    expect(bench.cloud.objects.size).toBe(1);
  });

  test('E-274 customTimeouts reach the provider in seconds', async () => {
    bench.program("new Thing('t', {value: 1}, {customTimeouts: {create: '1m30s', delete: '5s'}});");
    await bench.up();
    expect(bench.resource('t')).toMatchObject({customTimeouts: {create: 90, delete: 5}});
    bench.program("new Thing('t', {value: 1}, {customTimeouts: {create: 'soon'}});");
    expect((await bench.up(1)).all).toMatch(/customTimeouts.create: "soon" is not a duration/);
  });

  test('E-274 deletedWith: no call of its own when the other goes too', async () => {
    bench.program(`
      const host = new Thing('host', {value: 1});
      new Thing('guest', {value: 1}, {deletedWith: host});
    `);
    await bench.up();
    bench.cloud.take();
    await bench.run('destroy', '--yes', '--skip-preview');
    expect(bench.cloud.take()).toEqual(['delete host']);
  });

  test.each([false, true])(
    'E-274 deletedWith: what is deleted with a replaced resource is made anew without a deletion of its own, deleted first: %s',
    async early => {
      bench.program(`
      const host = new Thing('host', {key: cfg.get('key') ?? 'k1', early: ${early}});
      new Thing('guest', {value: 1}, {deletedWith: host});
    `);
      await bench.up();
      await bench.run('config', 'set', 'key', 'k2');
      bench.cloud.take();
      expect(await preview()).toEqual({replace: 2, same: 1});
      await bench.up();
      expect(bench.cloud.take().filter(call => /^(create|update|delete) guest/.test(call))).toEqual(['create guest']);
    },
  );

  test.each([
    ['hideDiffs', "{hideDiffs: ['value']}"],
    ['replaceWith', "{replaceWith: [new Thing('x', {value: 1})]}"],
    ['transforms', '{transforms: [args => undefined]}'],
    ['hooks', "{hooks: {beforeCreate: [new pulumi.ResourceHook('h', () => {})]}}"],
  ])('E-274 an option that is not supported is refused by name: %s', async (name, opts) => {
    bench.program(`new Thing('t', {value: 1}, ${opts});`);
    const ran = await bench.up(1);
    expect(ran.all).toMatch(new RegExp(`${name}|${name === 'hooks' ? 'resource hooks' : name}`, 'i'));
    expect(ran.all).toContain('embedded engine');
    expect(bench.resource('t')).toBeUndefined();
  });
});

describe('E-274 providers and components', () => {
  test('E-274 explicit provider: its configuration counts, its resources refer to it; replacing it replaces them', async () => {
    bench.program(`
      const args = {region: cfg.get('region') ?? 'e1', token: pulumi.secret('t0p')};
      const east = new Fake('east', args, {version: '1.2.3'});
      new Thing('there', {value: 1}, {provider: east});
      new Thing('here', {value: 1});
    `);
    await bench.run('config', 'set', 'fake:zone', 'z9');
    expect(await preview()).toEqual({create: 4});
    await bench.up();
    expect(bench.cloud.configs.some(config => config['region'] === 'e1')).toBe(true);
    expect(bench.cloud.configs.some(config => config['zone'] === 'z9')).toBe(true);
    expect(String(bench.resource('there')?.['provider'])).toMatch(/::pulumi:providers:fake::east::[0-9a-f-]{36}$/);
    await bench.up(0, '--expect-no-changes');
    expect(bench.resource('east')).toMatchObject({
      inputs: {version: '1.2.3', __internal: {}},
      outputs: {version: '1.2.3'},
    });
    expect(bench.resource('east')).not.toHaveProperty('outputs.__internal');
    await bench.run('config', 'set', 'region', 'e2');
    expect(await preview()).toEqual({replace: 2, same: 2});
    await bench.up();
    await bench.up(0, '--expect-no-changes');
    expect(bench.cloud.objects.size).toBe(2);
  });

  test('E-274 children of a component are deleted before it; its outputs are kept', async () => {
    bench.program(`
      class Pair extends Group {
        constructor(name) {
          super(name, {size: 2});
          this.one = new Thing(name + '-one', {value: 1}, {parent: this});
          this.registerOutputs({one: this.one.computed});
        }
      }
      new Pair('p');
    `);
    await bench.up();
    expect(bench.resource('p')).toMatchObject({outputs: {one: 'c-id-1'}, inputs: {size: 2}});
    expect(bench.resource('p-one')).toMatchObject({
      urn: 'urn:pulumi:dev::proj::fake:index:Group$fake:index:Thing::p-one',
    });
    await bench.up(0, '--expect-no-changes');
  });

  test('a package that is not built in is refused with a way out', async () => {
    bench.program(
      "class Bucket extends pulumi.CustomResource { constructor(n) { super('aws:s3/bucket:Bucket', n, {}); } } new Bucket('b');",
    );
    const ran = await bench.up(1);
    expect(ran.all).toMatch(/package "aws" is not built into the embedded engine .*Pulumi CLI/);
  });
});
