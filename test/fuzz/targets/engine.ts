// SPDX-License-Identifier: Apache-2.0
/** What the deployment engine reads: states, projects, import lists, values of the Pulumi wire, and paths. */
import {EngineError} from '../../../packages/engine/src/engine-error.ts';
import {parseImportFile} from '../../../packages/engine/src/operations/import-list.ts';
import {
  deploymentToJson,
  readWithoutSecrets,
  saltOf,
  sealNothing,
} from '../../../packages/engine/src/state/deployment-file.ts';
import {integrityFaults} from '../../../packages/engine/src/state/integrity.ts';
import {repaired} from '../../../packages/engine/src/state/repair.ts';
import {parseConfigPath} from '../../../packages/engine/src/workspace/config-value.ts';
import {parseProject} from '../../../packages/engine/src/workspace/project.ts';
import {isInRange, versionFault} from '../../../packages/engine/src/workspace/version-range.ts';
import {
  formatPropertyPath,
  PropertyPathError,
  parsePropertyPath,
} from '../../../packages/provider/src/property-path.ts';
import {decodeProperties, encodeProperties, type WireMap} from '../../../packages/provider/src/value-codec.ts';
import {claim, target} from '../frame/target.ts';

const URN = 'urn:pulumi:dev::proj::platform:core/v1:Endpoints::web';
const PROVIDER = 'urn:pulumi:dev::proj::pulumi:providers:platform::default';
const STATE = JSON.stringify({
  manifest: {time: '2026-01-02T03:04:05Z', magic: '', version: ''},
  resources: [
    {urn: PROVIDER, type: 'pulumi:providers:platform', custom: true, id: 'i'},
    {
      urn: URN,
      type: 'platform:core/v1:Endpoints',
      custom: true,
      id: 'default/web',
      inputs: {
        a: [1, null, {b: 'c'}],
        s: {'4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270', plaintext: '"x"'},
      },
      outputs: {},
      provider: `${PROVIDER}::i`,
      dependencies: [PROVIDER],
      propertyDependencies: {a: [PROVIDER]},
      customTimeouts: {create: 5},
      parent: '',
    },
  ],
  pending_operations: [{resource: {urn: URN, type: 'platform:core/v1:Endpoints'}, type: 'creating'}],
});

export const engineTargets = [
  target({
    name: 'stack-state',
    form: 'json',
    refusals: [EngineError],
    seeds: [STATE, '{}', '{"resources":{}}', '{"secrets_providers":{"type":"passphrase","state":{"salt":"v1:a"}}}'],
    decode: input => {
      const json = parsedOr(input, {});
      const deployment = readWithoutSecrets(json);
      const faults = integrityFaults(deployment.resources);
      const mended = integrityFaults(repaired(deployment.resources));
      claim(faults.length > 0 || mended.length === 0, 'a sound state has faults after repair');
      return {
        faults,
        salt: saltOf(json),
        written: deploymentToJson(deployment, {time: '', salt: undefined, seal: sealNothing}),
      };
    },
  }),
  target({
    name: 'import-list',
    form: 'json',
    refusals: [EngineError],
    seeds: [
      `{"nameTable":{"p":"${URN}"},"resources":[{"type":"platform:core/v1:Endpoints","name":"web","id":"default/web","parent":"p","provider":"p","properties":["a"],"logicalName":"x","version":"1.0.0"}]}`,
      '{"resources":[{"type":5}]}',
    ],
    decode: input => parseImportFile(input.toString(), 'f.json'),
  }),
  target({
    name: 'project-file',
    form: 'yaml',
    refusals: [EngineError],
    seeds: [
      'name: shop\nruntime: nodejs\ndescription: x\nmain: src\nconfig:\n  platform:context: {value: a}\n  n: {type: integer, default: 5}\n',
      'name: a\nruntime: {name: python, options: {virtualenv: venv}}\nbackend: {url: "file://."}\n',
      '- 1\n',
    ],
    words: ['name: ', 'runtime: ', 'config:', '&a ', '*a', '<<: *a', '~', '- '],
    decode: input => parseProject('/tmp/Pulumi.yaml', input.toString()),
  }),
  target({
    name: 'wire-properties',
    form: 'json',
    bytesMax: 8_000, // JSON.parse with a function, here only, calls itself at each level
    refusals: [SyntaxError],
    seeds: [
      '{"a":1,"b":[true,null,"x"],"c":{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","value":{"d":"04da6b54-80e4-46f7-96ec-b56ff0331ba9"}},"e":"04da6b54-80e4-46f7-96ec-b56ff0331ba9"}',
      '{"__proto__":{"polluted":1},"x":{"__proto__":[]}}',
    ],
    words: [
      '"4dabf18193072939515e22adb298388d":',
      '"1b47061264138c4ac30d75fd1eb44270"',
      '"04da6b54-80e4-46f7-96ec-b56ff0331ba9"',
    ],
    decode: input => {
      // JSON.stringify, the inverse here, has neither a negative zero nor an infinity.
      const wire = JSON.parse(input.toString(), (_, value: unknown) =>
        value === 0 || value === Infinity || value === -Infinity ? 0 : value,
      ) as WireMap;
      if (typeof wire !== 'object' || wire === null || Array.isArray(wire)) return undefined;
      return decodeProperties(wire);
    },
    encode: values => values && JSON.stringify(encodeProperties(values)),
  }),
  target({
    name: 'property-path',
    form: 'text',
    refusals: [PropertyPathError],
    seeds: ['a.b[0]["c.d"]', '*', 'a[*].b', 'root["x\\"y"]', 'a..b', '["', 'subsets[0].addresses[1].ip'],
    words: ['.', '[', ']', '["', '"]', '\\"', '*', '0'],
    decode: input => formatPropertyPath(parsePropertyPath(input.toString())),
    encode: text => text,
  }),
  target({
    name: 'config-path',
    form: 'text',
    refusals: [EngineError],
    seeds: ['a.b[0]["c.d"]', 'a["x\\"y"]', '[0]', 'a..b', 'a["\\x"]'],
    words: ['.', '[', ']', '["', '"]', '\\', '0', '99999999999999999999'],
    decode: input => parseConfigPath(input.toString()),
  }),
  target({
    name: 'version-range',
    form: 'text',
    seeds: ['>=3.0.0 <4', '^1.2.3 || ~2', '1.x', '!=1.0.0', '>= 3.230.0', '*'],
    words: ['>', '<', '=', '!', '||', '^', '~', '.', 'x', '-', ' '],
    decode: input => {
      const text = input.toString();
      return versionFault(text) ?? isInRange('3.260.0', text);
    },
  }),
];

function parsedOr(input: Buffer, other: unknown): unknown {
  try {
    return JSON.parse(input.toString());
  } catch {
    return other;
  }
}
