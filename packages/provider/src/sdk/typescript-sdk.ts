// SPDX-License-Identifier: Apache-2.0
/**
 * The TypeScript SDK of a package, as the file tree that `sdk/typescript/<name>` holds. The shape is the one that Pulumi's own
 * generator gives: `platform.core.v1.Endpoints`, `platform.types.input.…`, enums beside the resources of their module,
 * `get`, `isInstance`, the SDK's version in every registration, and resource modules registered for deserialisation.
 */
import {type EnumDescription, modulesOf, type PackageDescription, splitToken} from '../schema/package-description.ts';
import {PULUMI_SDK_RANGE} from '../schema/to-pulumi-schema.ts';
import {functionExport, functionFile} from './typescript-function.ts';
import {configFile, providerFile, resourceFile} from './typescript-resource.ts';
import {docComment, GENERATED_HEADER, lowerFirst, typesFile} from './typescript-types.ts';

/** Paths below the SDK's folder → text. */
export type SdkFiles = ReadonlyMap<string, string>;

export function typescriptSdk(description: PackageDescription): SdkFiles {
  const files = new Map<string, string>([
    ['package.json', packageJson(description)],
    ['tsconfig.json', TSCONFIG],
    ['README.md', readme(description)],
    ['src/index.ts', rootIndex(description)],
    ['src/provider.ts', providerFile(description)],
    ['src/utilities.ts', utilitiesFile(description)],
    ['src/config/index.ts', `${GENERATED_HEADER}export * from "./vars";\n`],
    ['src/config/vars.ts', configFile(description)],
    [
      'src/types/index.ts',
      `${GENERATED_HEADER}import * as enums from "./enums";\nimport * as input from "./input";\nimport * as output from "./output";\n\nexport { enums, input, output };\n`,
    ],
    ['src/types/input.ts', typesFile(description, 'input')],
    ['src/types/output.ts', typesFile(description, 'output')],
  ]);
  addModules(description, files);
  addEnums(description, files);
  for (const [token, resource] of Object.entries(description.resources)) {
    const {module, name} = splitToken(token);
    files.set(`src/${module}/${lowerFirst(name)}.ts`, resourceFile(description, token, resource));
  }
  for (const [token, lookUp] of Object.entries(description.functions)) {
    const {module, name} = splitToken(token);
    files.set(`src/${module}/${name}.ts`, functionFile(description, token, lookUp));
  }
  return files;
}

const isIn = (module: string) => (token: string) => splitToken(token).module === module;

/** One index per module and per folder above it. */
function addModules(description: PackageDescription, files: Map<string, string>): void {
  for (const module of modulesOf(description)) {
    files.set(`src/${module}/index.ts`, moduleIndex(description, module));
    addParents(`src/${module}`, 'src', files);
  }
}

/** `core/index.ts` exports its sub-modules; modules that share a parent are listed together. */
function addParents(folder: string, stop: string, files: Map<string, string>): void {
  const at = folder.lastIndexOf('/');
  const parent = folder.slice(0, at);
  const child = folder.slice(at + 1);
  if (parent === stop) return;
  const path = `${parent}/index.ts`;
  const known = /export \{ (.*) \};/.exec(files.get(path) ?? '')?.[1]?.split(', ') ?? [];
  const children = [...new Set([...known, child])].sort();
  const imports = children.map(name => `import * as ${name} from "./${name}";\n`).join('');
  files.set(path, `${GENERATED_HEADER}${imports}\nexport { ${children.join(', ')} };\n`);
  addParents(parent, stop, files);
}

function moduleIndex(description: PackageDescription, module: string): string {
  const up = '../'.repeat(module.split('/').length);
  const resources = Object.keys(description.resources)
    .filter(isIn(module))
    .map(token => splitToken(token).name)
    .sort();
  const functions = Object.keys(description.functions)
    .filter(isIn(module))
    .map(token => splitToken(token).name)
    .sort();
  const hasEnums = Object.keys(description.enums).some(isIn(module));
  const parts = [GENERATED_HEADER];
  if (resources.length > 0) {
    parts.push(
      `import * as pulumi from "@pulumi/pulumi";\nimport * as utilities from "${up}utilities";\n\n// Export members:\n`,
    );
    for (const name of resources) parts.push(resourceExport(name));
    for (const name of functions) parts.push(functionExport(name));
  }
  if (hasEnums) parts.push(`// Export enums:\nexport * from "${up}types/enums/${module}";\n\n`);
  if (resources.length > 0) parts.push(registration(description, module, resources));
  return `${parts.join('').trimEnd()}\n`;
}

function resourceExport(name: string): string {
  return [
    `export { ${name}Args } from "./${lowerFirst(name)}";\n`,
    `export type ${name} = import("./${lowerFirst(name)}").${name};\n`,
    `export const ${name}: typeof import("./${lowerFirst(name)}").${name} = null as any;\n`,
    `utilities.lazyLoad(exports, ["${name}"], () => require("./${lowerFirst(name)}"));\n\n`,
  ].join('');
}

function registration(description: PackageDescription, module: string, resources: readonly string[]): string {
  const cases = resources
    .map(
      name =>
        `            case "${description.name}:${module}:${name}":\n                return new ${name}(name, <any>undefined, { urn })\n`,
    )
    .join('');
  return [
    'const _module = {\n    version: utilities.getVersion(),\n',
    '    construct: (name: string, type: string, urn: string): pulumi.Resource => {\n        switch (type) {\n',
    cases,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is the generated code's own.
    '            default:\n                throw new Error(`unknown resource type ${type}`);\n        }\n    },\n};\n',
    `pulumi.runtime.registerResourceModule("${description.name}", "${module}", _module)\n`,
  ].join('');
}

function rootIndex(description: PackageDescription): string {
  const tops = [...new Set(modulesOf(description).map(module => module.split('/')[0] ?? ''))];
  const subs = ['config', ...tops, 'types'].sort();
  return [
    GENERATED_HEADER,
    'import * as pulumi from "@pulumi/pulumi";\nimport * as utilities from "./utilities";\n\n// Export members:\n',
    'export { ProviderArgs } from "./provider";\nexport type Provider = import("./provider").Provider;\n',
    'export const Provider: typeof import("./provider").Provider = null as any;\n',
    'utilities.lazyLoad(exports, ["Provider"], () => require("./provider"));\n\n// Export sub-modules:\n',
    ...subs.map(name => `import * as ${name} from "./${name}";\n`),
    `\nexport { ${subs.join(', ')} };\n\n`,
    `pulumi.runtime.registerResourcePackage("${description.name}", {\n    version: utilities.getVersion(),\n`,
    '    constructProvider: (name: string, type: string, urn: string): pulumi.ProviderResource => {\n',
    `        if (type !== "pulumi:providers:${description.name}") {\n            throw new Error(\`unknown provider type \${type}\`);\n        }\n`,
    '        return new Provider(name, <any>undefined, { urn });\n    },\n});\n',
  ].join('');
}

function addEnums(description: PackageDescription, files: Map<string, string>): void {
  const tokens = Object.keys(description.enums).sort();
  const tops = new Set<string>();
  for (const module of new Set(tokens.map(token => splitToken(token).module))) {
    const texts = tokens.filter(isIn(module)).map(token => enumText(splitToken(token).name, description.enums[token]));
    files.set(`src/types/enums/${module}/index.ts`, `${GENERATED_HEADER}\n${texts.join('\n')}`);
    addParents(`src/types/enums/${module}`, 'src/types/enums', files);
    tops.add(module.split('/')[0] ?? '');
  }
  const names = [...tops].sort();
  const imports = names.map(name => `import * as ${name} from "./${name}";\n`).join('');
  files.set('src/types/enums/index.ts', `${GENERATED_HEADER}${imports}\nexport { ${names.join(', ')} };\n`);
}

function enumText(name: string, description: EnumDescription | undefined): string {
  const values = description?.values ?? [];
  const members = values
    .map(value => `${docComment(value.doc, '    ')}    ${value.name}: "${value.value}",\n`)
    .join('');
  return [
    `export const ${name} = {\n${members}} as const;\n\n`,
    docComment(description?.doc ?? '', ''),
    `export type ${name} = (typeof ${name})[keyof typeof ${name}];\n`,
  ].join('');
}

function utilitiesFile(description: PackageDescription): string {
  return `${GENERATED_HEADER}import * as pulumi from "@pulumi/pulumi";

/** The version of this SDK and of the provider it asks for. */
export function getVersion(): string {
    return "${description.version}";
}

/** @internal */
export function resourceOptsDefaults(): pulumi.ResourceOptions {
    return { version: getVersion() };
}

/** @internal */
export function lazyLoad(exports: any, props: string[], loadModule: any) {
    for (const property of props) {
        Object.defineProperty(exports, property, {
            enumerable: true,
            get: function () {
                return loadModule()[property];
            },
        });
    }
}
`;
}

function packageJson(description: PackageDescription): string {
  const manifest = {
    name: description.npmName,
    version: description.version,
    description: description.doc,
    keywords: ['pulumi', 'palisade', description.name],
    license: 'Apache-2.0',
    main: 'dist/index.js',
    types: 'dist/index.d.ts',
    files: ['dist'],
    peerDependencies: {'@pulumi/pulumi': PULUMI_SDK_RANGE},
    pulumi: {resource: true, name: description.name, version: description.version},
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2020",
    "module": "node16",
    "moduleResolution": "node16",
    "lib": ["es2020"],
    "types": ["node"],
    "outDir": "dist",
    "rootDir": "src",
    "declaration": true,
    "strict": true,
    "stripInternal": true,
    "skipLibCheck": true,
    "forceConsistentCasingInFileNames": true
  },
  "include": ["src"]
}
`;

function readme(description: PackageDescription): string {
  const classes = Object.keys(description.resources).map(token => {
    const {module, name} = splitToken(token);
    return `- \`${description.name}.${module.replaceAll('/', '.')}.${name}\` (\`${description.name}:${token}\`)`;
  });
  const config = Object.entries(description.config).map(
    ([key, property]) => `| \`${description.name}:${key}\` | ${property.secret ? 'yes' : ''} | ${property.doc} |`,
  );
  return `# ${description.npmName}

${description.doc}

Works with \`palisade up\` and with the Pulumi CLI.

\`\`\`ts
import * as ${description.name} from "${description.npmName}";
\`\`\`

Resources:

${classes.join('\n')}

Provider configuration:

| key | secret | meaning |
|---|---|---|
${config.join('\n')}

Generated from the package description; Apache-2.0.
`;
}
