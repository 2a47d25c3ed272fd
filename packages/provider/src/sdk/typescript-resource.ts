// SPDX-License-Identifier: Apache-2.0
/** TypeScript text of a resource class, of the provider class and of the configuration module. */
import {
  type PackageDescription,
  type PropertyDescription,
  type ResourceDescription,
  splitToken,
} from '../schema/package-description.ts';
import {docComment, GENERATED_HEADER, inputMember, typeText} from './typescript-types.ts';

const MEMBER = '    ';
const sorted = <T>(table: {readonly [key: string]: T}): [string, T][] =>
  Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1));

/** `core/v1/endpoints.ts`. */
export function resourceFile(description: PackageDescription, token: string, resource: ResourceDescription): string {
  const {module, name} = splitToken(token);
  const up = '../'.repeat(module.split('/').length);
  const outputs = sorted({...resource.inputs, ...resource.outputs});
  return [
    GENERATED_HEADER,
    'import * as pulumi from "@pulumi/pulumi";\n',
    `import * as inputs from "${up}types/input";\nimport * as outputs from "${up}types/output";\n`,
    `import * as enums from "${up}types/enums";\nimport * as utilities from "${up}utilities";\n\n`,
    docComment(resource.doc, ''),
    `export class ${name} extends pulumi.CustomResource {\n`,
    getMethod(name),
    `${MEMBER}/** @internal */\n${MEMBER}public static readonly __pulumiType = '${description.name}:${token}';\n\n`,
    isInstanceMethod(name, `${name}.__pulumiType`),
    outputs.map(([key, property]) => outputProperty(key, property, isAlwaysSet(resource, key))).join(''),
    '\n',
    constructorText(
      name,
      resource,
      outputs.map(([key]) => key),
    ),
    '}\n\n',
    docComment(`The set of arguments for constructing a ${name} resource.`, ''),
    `export interface ${name}Args {\n`,
    sorted(resource.inputs)
      .map(([key, property]) => inputMember(key, property, MEMBER))
      .join(''),
    '}\n',
  ].join('');
}

const isAlwaysSet = (resource: ResourceDescription, key: string): boolean =>
  resource.inputs[key]?.required === true || resource.outputs[key] !== undefined;

function getMethod(name: string): string {
  const doc = [
    `Get an existing ${name} resource's state with the given name, ID, and optional extra`,
    'properties used to qualify the lookup.',
    '',
    '@param name The _unique_ name of the resulting resource.',
    '@param id The _unique_ provider ID of the resource to lookup.',
    '@param opts Optional settings to control the behavior of the CustomResource.',
  ];
  return [
    `${MEMBER}/**\n${doc.map(line => `${MEMBER} *${line === '' ? '' : ` ${line}`}\n`).join('')}${MEMBER} */\n`,
    `${MEMBER}public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): ${name} {\n`,
    `${MEMBER}    return new ${name}(name, undefined as any, { ...opts, id: id });\n${MEMBER}}\n\n`,
  ].join('');
}

function isInstanceMethod(name: string, type: string): string {
  const doc = [
    `Returns true if the given object is an instance of ${name}. This is designed to work even`,
    'when multiple copies of the Pulumi SDK have been loaded into the same process.',
  ];
  return [
    `${MEMBER}/**\n${doc.map(line => `${MEMBER} * ${line}\n`).join('')}${MEMBER} */\n`,
    `${MEMBER}public static isInstance(obj: any): obj is ${name} {\n`,
    `${MEMBER}    if (obj === undefined || obj === null) {\n${MEMBER}        return false;\n${MEMBER}    }\n`,
    `${MEMBER}    return obj['__pulumiType'] === ${type};\n${MEMBER}}\n\n`,
  ].join('');
}

function outputProperty(key: string, property: PropertyDescription, always: boolean): string {
  const type = typeText(property.type, 'output');
  return `${docComment(property.doc, MEMBER, property.deprecated)}${MEMBER}declare public readonly ${key}: pulumi.Output<${type}${always ? '' : ' | undefined'}>;\n`;
}

function constructorText(name: string, resource: ResourceDescription, outputs: readonly string[]): string {
  const required = Object.keys(resource.inputs)
    .filter(key => resource.inputs[key]?.required)
    .sort();
  const optional = required.length > 0 ? '' : '?';
  const checks = required.map(
    key =>
      `            if (args?.${key} === undefined && !opts.urn) {\n                throw new Error("Missing required property '${key}'");\n            }\n`,
  );
  const given = outputs.map(key =>
    resource.inputs[key] === undefined
      ? `            resourceInputs["${key}"] = undefined /*out*/;\n`
      : `            resourceInputs["${key}"] = args?.${key};\n`,
  );
  const looked = outputs.map(key => `            resourceInputs["${key}"] = undefined /*out*/;\n`);
  return [
    `${MEMBER}/**\n${MEMBER} * Create a ${name} resource with the given unique name, arguments, and options.\n${MEMBER} *\n`,
    `${MEMBER} * @param name The _unique_ name of the resource.\n`,
    `${MEMBER} * @param args The arguments to use to populate this resource's properties.\n`,
    `${MEMBER} * @param opts A bag of options that control this resource's behavior.\n${MEMBER} */\n`,
    `${MEMBER}constructor(name: string, args${optional}: ${name}Args, opts?: pulumi.CustomResourceOptions) {\n`,
    '        let resourceInputs: pulumi.Inputs = {};\n        opts = opts || {};\n        if (!opts.id) {\n',
    ...checks,
    ...given,
    '        } else {\n',
    ...looked,
    '        }\n        opts = pulumi.mergeOptions(utilities.resourceOptsDefaults(), opts);\n',
    `        super(${name}.__pulumiType, name, resourceInputs, opts);\n${MEMBER}}\n`,
  ].join('');
}

/** `provider.ts`. */
export function providerFile(description: PackageDescription): string {
  const config = sorted(description.config);
  const secrets = config.filter(([, property]) => property.secret).map(([key]) => `"${key}"`);
  const assign = config.map(([key, property]) =>
    property.secret
      ? `            resourceInputs["${key}"] = args?.${key} ? pulumi.secret(args.${key}) : undefined;\n`
      : `            resourceInputs["${key}"] = args?.${key};\n`,
  );
  return [
    GENERATED_HEADER,
    'import * as pulumi from "@pulumi/pulumi";\nimport * as utilities from "./utilities";\n\n',
    docComment(description.doc, ''),
    'export class Provider extends pulumi.ProviderResource {\n',
    `${MEMBER}/** @internal */\n${MEMBER}public static readonly __pulumiType = '${description.name}';\n\n`,
    isInstanceMethod('Provider', '"pulumi:providers:" + Provider.__pulumiType'),
    `${MEMBER}/**\n${MEMBER} * Create a Provider resource with the given unique name, arguments, and options.\n${MEMBER} */\n`,
    `${MEMBER}constructor(name: string, args?: ProviderArgs, opts?: pulumi.ResourceOptions) {\n`,
    '        let resourceInputs: pulumi.Inputs = {};\n        opts = opts || {};\n        {\n',
    ...assign,
    '        }\n        opts = pulumi.mergeOptions(utilities.resourceOptsDefaults(), opts);\n',
    `        opts = pulumi.mergeOptions(opts, { additionalSecretOutputs: [${secrets.join(', ')}] });\n`,
    `        super(Provider.__pulumiType, name, resourceInputs, opts);\n${MEMBER}}\n}\n\n`,
    docComment('The set of arguments for constructing a Provider resource.', ''),
    'export interface ProviderArgs {\n',
    ...config.map(([key, property]) => inputMember(key, property, MEMBER)),
    '}\n',
  ].join('');
}

/** `config/vars.ts`: the stack configuration of the default provider. */
export function configFile(description: PackageDescription): string {
  const getters = sorted(description.config).map(
    ([key, property]) =>
      `${docComment(property.doc, '')}export declare const ${key}: string | undefined;\nObject.defineProperty(exports, "${key}", {\n    get() {\n        return __config.get("${key}");\n    },\n    enumerable: true,\n});\n`,
  );
  return [
    GENERATED_HEADER,
    'import * as pulumi from "@pulumi/pulumi";\n\ndeclare var exports: any;\n',
    `const __config = new pulumi.Config("${description.name}");\n\n`,
    getters.join('\n'),
  ].join('');
}
