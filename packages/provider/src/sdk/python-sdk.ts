// SPDX-License-Identifier: Apache-2.0
/**
 * The Python SDK of a package, as the file tree that `sdk/python/<name>` holds. The shape is the one that Pulumi's own generator
 * gives (`inputTypes: classes-and-dicts`): `palisade_platform.core.v1.Endpoints`, `…EndpointSubsetArgs`, snake_case, both forms of
 * the constructor. Unlike there, the version stands in the code: nothing depends on installed metadata.
 */
import {
  type EnumDescription,
  modulesOf,
  type ObjectDescription,
  type PackageDescription,
  splitToken,
  type TypeDescription,
} from '../schema/package-description.ts';
import {functionModule} from './python-function.ts';
import {providerModule, resourceModule} from './python-resource.ts';
import {
  constantCase,
  docString,
  inputsModule,
  moduleAlias,
  type Names,
  outputsModule,
  PYTHON_HEADER,
  snakeCase,
} from './python-types.ts';
import type {SdkFiles} from './typescript-sdk.ts';

const PYTHON_RANGE = '>=3.9';
const PULUMI_RANGE = '>=3.142.0,<4.0.0';

export function pythonSdk(description: PackageDescription): SdkFiles {
  const base = description.pythonName;
  const files = new Map<string, string>([
    ['pyproject.toml', pyproject(description)],
    ['README.md', readme(description)],
    [`${base}/__init__.py`, rootInit(description)],
    [`${base}/_utilities.py`, utilities(description)],
    [`${base}/provider.py`, providerModule(description)],
    [`${base}/py.typed`, ''],
    [`${base}/pulumi-plugin.json`, pluginJson(description)],
  ]);
  for (const module of modulesOf(description)) addModule(description, module, files);
  return files;
}

const isIn = (module: string) => (token: string) => splitToken(token).module === module;

function addModule(description: PackageDescription, module: string, files: Map<string, string>): void {
  const names: Names = {description, module};
  const folder = `${description.pythonName}/${module}`;
  const types = Object.entries(description.types)
    .filter(([token]) => isIn(module)(token))
    .map(([token, object]) => [splitToken(token).name, object] as [string, ObjectDescription])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const enums = Object.keys(description.enums).filter(isIn(module)).sort();
  const resources = Object.keys(description.resources).filter(isIn(module)).sort();
  const init: string[] = [];
  if (enums.length > 0) {
    files.set(`${folder}/_enums.py`, enumsModule(description, enums));
    init.push('from ._enums import *');
  }
  if (types.length > 0) {
    const members = types.flatMap(([, object]) => Object.values(object.properties).map(property => property.type));
    const foreign = foreignImports(module, members);
    const own = enums.length > 0 ? 'from ._enums import *\n' : '';
    files.set(`${folder}/_inputs.py`, inputsModule(names, types, foreign + own));
    files.set(`${folder}/outputs.py`, outputsModule(names, types, foreign + own));
    init.push('from ._inputs import *', 'from . import outputs');
  }
  for (const token of resources) {
    const resource = description.resources[token];
    if (resource === undefined) continue;
    const members = Object.values({...resource.inputs, ...resource.outputs}).map(property => property.type);
    const imports = importsOf(module, members, {enums: enums.length > 0, types: types.length > 0});
    files.set(
      `${folder}/${snakeCase(lowerFirst(splitToken(token).name))}.py`,
      resourceModule(names, token, resource, imports),
    );
    init.push(`from .${snakeCase(lowerFirst(splitToken(token).name))} import *`);
  }
  for (const token of Object.keys(description.functions).filter(isIn(module)).sort()) {
    const lookUp = description.functions[token];
    if (lookUp === undefined) continue;
    const file = snakeCase(splitToken(token).name);
    const members = Object.values({...lookUp.inputs, ...lookUp.outputs}).map(property => property.type);
    const imports = importsOf(module, members, {enums: enums.length > 0, types: types.length > 0});
    files.set(`${folder}/${file}.py`, functionModule(names, token, lookUp, imports));
    init.push(`from .${file} import *`);
  }
  files.set(`${folder}/__init__.py`, `${PYTHON_HEADER}${init.join('\n')}\n`);
  addParent(folder, description.pythonName, files);
}

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** `core/__init__.py` brings in its sub-modules. */
function addParent(folder: string, stop: string, files: Map<string, string>): void {
  const at = folder.lastIndexOf('/');
  const parent = folder.slice(0, at);
  if (parent === stop) return;
  const path = `${parent}/__init__.py`;
  const line = `from . import ${folder.slice(at + 1)}\n`;
  const known = files.get(path) ?? PYTHON_HEADER;
  files.set(path, known.includes(line) ? known : known + line);
  addParent(parent, stop, files);
}

/** What a resource or function module brings in: the utilities and the types of its own and of other modules. */
function importsOf(
  module: string,
  members: readonly TypeDescription[],
  own: {readonly enums: boolean; readonly types: boolean},
): string {
  const up = '.'.repeat(module.split('/').length + 1);
  return [
    `from ${up} import _utilities\n`,
    foreignImports(module, members),
    own.enums ? 'from ._enums import *\n' : '',
    own.types ? 'from . import outputs\nfrom ._inputs import *\n' : '',
  ].join('');
}

/** Imports of the modules whose types these members name. */
function foreignImports(module: string, members: readonly TypeDescription[]): string {
  const found = new Set<string>();
  const visit = (type: TypeDescription): void => {
    if (type.kind === 'list' || type.kind === 'map') visit(type.of);
    else if (type.kind === 'ref' || type.kind === 'enum') found.add(splitToken(type.to).module);
  };
  for (const member of members) visit(member);
  found.delete(module);
  const up = '.'.repeat(module.split('/').length + 1);
  return [...found]
    .sort()
    .map(other => {
      const at = other.lastIndexOf('/');
      return `from ${up}${other.slice(0, at).replaceAll('/', '.')} import ${other.slice(at + 1)} as ${moduleAlias(other)}\n`;
    })
    .join('');
}

function enumsModule(description: PackageDescription, tokens: readonly string[]): string {
  const classes = tokens.map(token => {
    const {name} = splitToken(token);
    const {doc, values}: EnumDescription = description.enums[token] ?? {doc: '', values: []};
    const members = values.map(
      value => `    ${constantCase(value.name)} = "${value.value}"\n${docString(value.doc, '    ')}`,
    );
    return `@pulumi.type_token("${description.name}:${token}")\nclass ${name}(_builtins.str, Enum):\n${docString(doc, '    ')}${members.join('')}`;
  });
  const all = tokens.map(token => `    '${splitToken(token).name}',\n`).join('');
  return `${PYTHON_HEADER}import builtins as _builtins\nfrom enum import Enum\n\nimport pulumi\n\n__all__ = [\n${all}]\n\n\n${classes.join('\n\n')}`;
}

function rootInit(description: PackageDescription): string {
  const tops = [...new Set(modulesOf(description).map(module => module.split('/')[0] ?? ''))].sort();
  const modules = modulesOf(description).flatMap(module => {
    const tokens = Object.keys(description.resources).filter(isIn(module));
    if (tokens.length === 0) return [];
    return [
      {
        pkg: description.name,
        mod: module,
        fqn: `${description.pythonName}.${module.replaceAll('/', '.')}`,
        classes: Object.fromEntries(tokens.map(token => [`${description.name}:${token}`, splitToken(token).name])),
      },
    ];
  });
  const packages = [
    {
      pkg: description.name,
      token: `pulumi:providers:${description.name}`,
      fqn: description.pythonName,
      class: 'Provider',
    },
  ];
  return [
    PYTHON_HEADER,
    'from . import _utilities\nfrom .provider import *\n',
    tops.map(name => `from . import ${name}\n`).join(''),
    `\n__version__ = _utilities.get_version()\n\n_utilities.register(\n    resource_modules=${pythonJson(modules)},\n    resource_packages=${pythonJson(packages)},\n)\n`,
  ].join('');
}

const pythonJson = (value: unknown): string => JSON.stringify(value, null, 4).replaceAll('\n', '\n    ');

const pluginJson = (description: PackageDescription): string =>
  `${JSON.stringify({resource: true, name: description.name, version: description.version}, null, 2)}\n`;

function pyproject(description: PackageDescription): string {
  return `[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "${description.pythonName}"
version = "${description.version}"
description = ${JSON.stringify(description.doc)}
readme = "README.md"
requires-python = "${PYTHON_RANGE}"
keywords = ["pulumi", "palisade", "${description.name}"]
license = {text = "Apache-2.0"}
dependencies = ["pulumi${PULUMI_RANGE}"]

[tool.setuptools.packages.find]
include = ["${description.pythonName}*"]

[tool.setuptools.package-data]
${description.pythonName} = ["py.typed", "pulumi-plugin.json"]
`;
}

function utilities(description: PackageDescription): string {
  return `${PYTHON_HEADER}import importlib
from typing import Any, Optional, Tuple

import pulumi
import pulumi.runtime


def get_version() -> str:
    """The version of this SDK and of the provider it asks for."""
    return "${description.version}"


def get_resource_opts_defaults() -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions(version=get_version())


def get_invoke_opts_defaults() -> pulumi.InvokeOptions:
    return pulumi.InvokeOptions(version=get_version())


def get_resource_args_opts(resource_args_type: type, resource_options_type: type, *args, **kwargs) -> Tuple[Any, Any]:
    """The arguments object and the options of a constructor call, whichever way they were passed."""
    rest = list(args)
    resource_args: Optional[Any] = None
    if rest and isinstance(rest[0], resource_args_type):
        resource_args = rest.pop(0)
    elif isinstance(kwargs.get("args"), resource_args_type):
        resource_args = kwargs["args"]
    if rest and isinstance(rest[0], resource_options_type):
        return resource_args, rest[0]
    return resource_args, kwargs.get("opts")


class _Module(pulumi.runtime.ResourceModule):
    def __init__(self, info):
        self.info = info

    def version(self):
        return None

    def construct(self, name: str, typ: str, urn: str) -> pulumi.Resource:
        class_name = self.info["classes"].get(typ)
        if class_name is None:
            raise Exception(f"unknown resource type {typ}")
        module = importlib.import_module(self.info["fqn"])
        return getattr(module, class_name)(name, pulumi.ResourceOptions(urn=urn))


class _Package(pulumi.runtime.ResourcePackage):
    def __init__(self, info):
        self.info = info

    def version(self):
        return None

    def construct_provider(self, name: str, typ: str, urn: str) -> pulumi.ProviderResource:
        if typ != self.info["token"]:
            raise Exception(f"unknown provider type {typ}")
        module = importlib.import_module(self.info["fqn"])
        return getattr(module, self.info["class"])(name, pulumi.ResourceOptions(urn=urn))


def register(resource_modules, resource_packages) -> None:
    for info in resource_modules:
        pulumi.runtime.register_resource_module(info["pkg"], info["mod"], _Module(info))
    for info in resource_packages:
        pulumi.runtime.register_resource_package(info["pkg"], _Package(info))
`;
}

/** How a program finds this package. */
const PACKAGES = `A program runs with the Python of \`runtime.options.virtualenv\` in its \`Pulumi.yaml\`, else of the virtual environment in force (\`VIRTUAL_ENV\`), else with \`python3\`; \`pulumi\` and this package must be installed there. \`make sdk\` in Palisade's repository makes such an environment, \`build/sdk/venv\`; its folder may be absolute or relative to \`Pulumi.yaml\`:

\`\`\`yaml
name: my-program
runtime:
  name: python
  options:
    virtualenv: /path/to/palisade/build/sdk/venv
\`\`\``;

function readme(description: PackageDescription): string {
  const classes = Object.keys(description.resources).map(token => {
    const {module, name} = splitToken(token);
    return `- \`${description.pythonName}.${module.replaceAll('/', '.')}.${name}\` (\`${description.name}:${token}\`)`;
  });
  return `# ${description.pythonName}\n\n${description.doc}\n\nWorks with \`palisade up\` and with the Pulumi CLI. Names are those of the TypeScript SDK in snake_case.\n\n${PACKAGES}\n\n\`\`\`python\nimport ${description.pythonName} as ${description.name}\n\`\`\`\n\nResources:\n\n${classes.join('\n')}\n\nGenerated from the package description; Apache-2.0.\n`;
}
