// SPDX-License-Identifier: Apache-2.0
/** Python text of a look-up: result class, the function, its form for outputs. */
import {type FunctionDescription, splitToken} from '../schema/package-description.ts';
import {
  docString,
  inputType,
  type Names,
  outputType,
  PYTHON_HEADER,
  snakeCase,
  sortedEntries,
  TYPE_IMPORTS,
} from './python-types.ts';
import {upperFirst} from './typescript-types.ts';

/** `core/v1/get_endpoints.py`. */
export function functionModule(names: Names, token: string, lookUp: FunctionDescription, imports: string): string {
  const own = snakeCase(splitToken(token).name);
  const type = `${upperFirst(splitToken(token).name)}Result`;
  const full = `${names.description.name}:${token}`;
  const inputs = sortedEntries(lookUp.inputs);
  const outputs = sortedEntries(lookUp.outputs);
  const assign = inputs.map(([key]) => `    __args__['${key}'] = ${snakeCase(key)}\n`).join('');
  const fields = (indent: string, value: (name: string) => string) =>
    outputs.map(([key]) => `${indent}${snakeCase(key)}=${value(snakeCase(key))},\n`).join('');
  const plain = inputs
    .map(([key, p]) => `        ${snakeCase(key)}: Optional[${inputType(names, p.type)}] = None,\n`)
    .join('');
  const lifted = inputs
    .map(
      ([key, p]) =>
        `        ${snakeCase(key)}: Optional[pulumi.Input[Optional[${inputType(names, p.type)}]]] = None,\n`,
    )
    .join('');
  return [
    `${PYTHON_HEADER}${TYPE_IMPORTS}${imports}\n__all__ = ['${type}', 'Awaitable${type}', '${own}', '${own}_output']\n\n\n`,
    `@pulumi.output_type\nclass ${type}:\n${docString(`A collection of values returned by ${own}.`, '    ')}`,
    `    def __init__(__self__, ${outputs.map(([key]) => `${snakeCase(key)}=None`).join(', ')}):\n`,
    ...outputs.map(([key]) => `        pulumi.set(__self__, "${snakeCase(key)}", ${snakeCase(key)})\n`),
    ...outputs.map(
      ([key, p]) =>
        `\n    @_builtins.property\n    @pulumi.getter(name="${key}")\n    def ${snakeCase(key)}(self) -> ${outputType(names, p.type)}:\n${docString(p.doc, '        ')}        return pulumi.get(self, "${snakeCase(key)}")\n`,
    ),
    `\n\nclass Awaitable${type}(${type}):\n    def __await__(self):\n        if False:\n            yield self\n        return ${type}(\n`,
    fields('            ', name => `self.${name}`),
    `        )\n\n\ndef ${own}(\n${plain}        opts: Optional[pulumi.InvokeOptions] = None) -> Awaitable${type}:\n${docString(lookUp.doc, '    ')}`,
    `    __args__ = dict()\n${assign}    opts = pulumi.InvokeOptions.merge(_utilities.get_invoke_opts_defaults(), opts)\n`,
    `    __ret__ = pulumi.runtime.invoke('${full}', __args__, opts=opts, typ=${type}).value\n\n    return Awaitable${type}(\n`,
    fields('        ', name => `pulumi.get(__ret__, '${name}')`),
    `    )\n\n\ndef ${own}_output(\n${lifted}        opts: Optional[Union[pulumi.InvokeOptions, pulumi.InvokeOutputOptions]] = None) -> pulumi.Output[${type}]:\n${docString(lookUp.doc, '    ')}`,
    `    __args__ = dict()\n${assign}    opts = pulumi.InvokeOutputOptions.merge(_utilities.get_invoke_opts_defaults(), opts)\n`,
    `    __ret__ = pulumi.runtime.invoke_output('${full}', __args__, opts=opts, typ=${type})\n    return __ret__.apply(lambda __response__: ${type}(\n`,
    fields('        ', name => `pulumi.get(__response__, '${name}')`),
    '    ))\n',
  ].join('');
}
