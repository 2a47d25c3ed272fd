// SPDX-License-Identifier: Apache-2.0
/** TypeScript text of a look-up: the function, its form for outputs, and their types. */
import {type FunctionDescription, type PackageDescription, splitToken} from '../schema/package-description.ts';
import {docComment, GENERATED_HEADER, inputMember, typeText, upperFirst} from './typescript-types.ts';

/** `core/v1/getEndpoints.ts`. */
export function functionFile(description: PackageDescription, token: string, lookUp: FunctionDescription): string {
  const {module, name} = splitToken(token);
  const up = '../'.repeat(module.split('/').length);
  const type = upperFirst(name);
  const inputs = Object.entries(lookUp.inputs).sort(([a], [b]) => (a < b ? -1 : 1));
  const outputs = Object.entries(lookUp.outputs).sort(([a], [b]) => (a < b ? -1 : 1));
  const args = inputs.map(([key]) => `        "${key}": args.${key},\n`).join('');
  const call = (runtime: string) =>
    `    opts = pulumi.mergeOptions(utilities.resourceOptsDefaults(), opts || {});\n    return pulumi.runtime.${runtime}("${description.name}:${token}", {\n${args}    }, opts);\n}\n\n`;
  const plain = inputs.map(
    ([key, p]) => `${docComment(p.doc, '    ')}    ${key}${p.required ? '' : '?'}: ${typeText(p.type, 'output')};\n`,
  );
  const results = outputs.map(
    ([key, p]) => `${docComment(p.doc, '    ')}    readonly ${key}: ${typeText(p.type, 'output')};\n`,
  );
  return [
    GENERATED_HEADER,
    'import * as pulumi from "@pulumi/pulumi";\n',
    `import * as inputs from "${up}types/input";\nimport * as outputs from "${up}types/output";\n`,
    `import * as enums from "${up}types/enums";\nimport * as utilities from "${up}utilities";\n\n`,
    docComment(lookUp.doc, ''),
    `export function ${name}(args: ${type}Args, opts?: pulumi.InvokeOptions): Promise<${type}Result> {\n`,
    call('invoke'),
    docComment(`A collection of arguments for invoking ${name}.`, ''),
    `export interface ${type}Args {\n${plain.join('')}}\n\n`,
    docComment(`A collection of values returned by ${name}.`, ''),
    `export interface ${type}Result {\n${results.join('')}}\n\n`,
    docComment(lookUp.doc, ''),
    `export function ${name}Output(args: ${type}OutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<${type}Result> {\n`,
    call('invokeOutput'),
    docComment(`A collection of arguments for invoking ${name}.`, ''),
    `export interface ${type}OutputArgs {\n${inputs.map(([key, p]) => inputMember(key, p, '    ')).join('')}}\n`,
  ].join('');
}

/** The lines of a module's index. */
export function functionExport(name: string): string {
  const type = upperFirst(name);
  return [
    `export { ${type}Args, ${type}OutputArgs, ${type}Result } from "./${name}";\n`,
    `export const ${name}: typeof import("./${name}").${name} = null as any;\n`,
    `export const ${name}Output: typeof import("./${name}").${name}Output = null as any;\n`,
    `utilities.lazyLoad(exports, ["${name}", "${name}Output"], () => require("./${name}"));\n\n`,
  ].join('');
}
