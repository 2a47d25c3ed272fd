// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {parseImportFile, resolveImports} from './import-list.ts';

const SERVICE = 'urn:pulumi:s::p::shop:index:Service::web';
const GIVEN = 'urn:pulumi:s::p::pulumi:providers:fake::given';
const type = 'fake:index:Thing';
const into = {stack: 's', project: 'p', protect: true};

const parsed = (file: object) => parseImportFile(JSON.stringify(file), '--file f');
const resolved = (resources: readonly object[], nameTable = {}) => resolveImports(parsed({nameTable, resources}), into);

test('names stand for parents and providers; parents come first', () => {
  const {imports, names} = resolved(
    [
      {type, name: 'kid', id: '1', parent: 'comp', provider: 'given'},
      {type: 'my:index:Comp', name: 'comp', logicalName: 'the-comp', component: true, parent: 'svc'},
      {type, logicalName: 'top', id: '2', version: '1.2.3'},
    ],
    {svc: SERVICE, given: GIVEN},
  );
  const comp = 'urn:pulumi:s::p::shop:index:Service$my:index:Comp::the-comp';
  expect(imports.map(({urn, parent, provider, version}) => [urn, parent, provider, version])).toEqual([
    [comp, SERVICE, '', ''],
    ['urn:pulumi:s::p::shop:index:Service$my:index:Comp$fake:index:Thing::kid', comp, GIVEN, ''],
    ['urn:pulumi:s::p::fake:index:Thing::top', '', '', '1.2.3'],
  ]);
  expect([...names.values()].sort()).toEqual(['comp', 'given', 'kid', 'svc', 'top']);
});

describe('all faults of a file are told', () => {
  test.each<[object | string, string]>([
    ['{', 'not readable as JSON'],
    [[], 'expected {"nameTable"'],
    [{}, 'it contains no resources'],
    [{resources: [{name: 'a'}]}, "--file f: resource 'a' has no type\n--file f: resource 'a' has no ID"],
    [{resources: [{type}]}, `resource 0 of type '${type}' has no name`],
    [{resources: [{type: 'Thing', name: 'a', id: '1'}]}, 'has a malformed type'],
    [{resources: [{type, name: 'a', id: '1', component: true}]}, 'has an ID, but is marked as a component'],
    [{resources: [{type: 'pulumi:providers:fake', name: 'a'}]}, 'is a provider'],
    [{resources: [{type, name: 'a', id: '1', outputs: {x: 1}}]}, '"outputs" is not supported'],
    [{resources: [{type, name: 'a', id: '1'}], providerInputs: {}}, 'providerInputs: not supported'],
    [{nameTable: {a: 'b'}, resources: [{type, name: 'a', id: '1'}]}, `nameTable: "a": 'b' is not a URN`],
  ])('%j', (file, message) => {
    const text = typeof file === 'string' ? file : JSON.stringify(file);
    expect(() => parseImportFile(text, '--file f')).toThrow(message);
  });

  const a = {type, name: 'a', id: '1'};
  test.each<[readonly object[], object, string]>([
    [[a, a], {}, "resource 'a' of type 'fake:index:Thing' has an ambiguous URN"],
    [
      [{...a, parent: 'x'}],
      {},
      "the parent 'x' for resource 'a' of type 'fake:index:Thing' has no entry in 'nameTable'",
    ],
    [[{...a, provider: 'x'}], {}, "the provider 'x' for"],
    [[{...a, provider: 'x'}], {x: SERVICE}, 'is not a provider'],
    [[{...a, parent: 'a'}], {}, 'is its own ancestor'],
    [
      [
        {...a, parent: 'b'},
        {...a, name: 'b', parent: 'a'},
      ],
      {},
      'is its own ancestor',
    ],
    [
      [
        {...a, parent: 'b'},
        {...a, name: 'b'},
        {...a, name: 'b', logicalName: 'c'},
      ],
      {},
      'has an ambiguous parent',
    ],
  ])('%j', (resources, table, message) => {
    expect(() => resolved(resources, table)).toThrow(message);
  });
});
