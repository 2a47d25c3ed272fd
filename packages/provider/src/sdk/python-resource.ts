// SPDX-License-Identifier: Apache-2.0
/** Python text of a resource module and of the provider module. */
import {
  type PackageDescription,
  type Properties,
  type ResourceDescription,
  splitToken,
} from '../schema/package-description.ts';
import {
  docString,
  inputClass,
  inputType,
  type Names,
  optionalInput,
  outputType,
  PYTHON_HEADER,
  snakeCase,
  sortedEntries,
  TYPE_IMPORTS,
} from './python-types.ts';

const requiredKeys = (properties: Properties): string[] =>
  Object.keys(properties)
    .filter(key => properties[key]?.required)
    .sort();

const GET_DOC = `
        Get an existing resource's state with the given name, id, and optional extra
        properties used to qualify the lookup.

        :param str resource_name: The unique name of the resulting resource.
        :param pulumi.Input[str] id: The unique provider ID of the resource to lookup.
        :param pulumi.ResourceOptions opts: Options for the resource.
`;

/** `core/v1/endpoints.py`. `imports` are the lines that bring in types of this and other modules. */
export function resourceModule(names: Names, token: string, resource: ResourceDescription, imports: string): string {
  const {name} = splitToken(token);
  const full = `${names.description.name}:${token}`;
  const outputs = sortedEntries({...resource.inputs, ...resource.outputs});
  const parts = [
    `${PYTHON_HEADER}${TYPE_IMPORTS}${imports}\n__all__ = ['${name}Args', '${name}']\n\n\n`,
    inputClass(names, `${name}Args`, `The set of arguments for constructing a ${name} resource.`, resource.inputs),
    `\n\n@pulumi.type_token("${full}")\nclass ${name}(pulumi.CustomResource):\n${docString(resource.doc, '    ')}`,
    constructors(names, name, resource),
    internalInit(
      names,
      name,
      full,
      resource,
      outputs.map(([key]) => key),
    ),
    getMethod(
      name,
      outputs.map(([key]) => key),
    ),
  ];
  for (const [key, property] of outputs) {
    const always = property.required || resource.outputs[key] !== undefined;
    const type = outputType(names, property.type);
    parts.push(
      `\n    @_builtins.property\n    @pulumi.getter(name="${key}")\n`,
      `    def ${snakeCase(key)}(self) -> pulumi.Output[${always ? type : `Optional[${type}]`}]:\n`,
      docString(property.doc, '        '),
      `        return pulumi.get(self, "${snakeCase(key)}")\n`,
    );
  }
  return parts.join('');
}

const keywordParameters = (names: Names, properties: Properties): string =>
  sortedEntries(properties)
    .map(([key, p]) => `                 ${snakeCase(key)}: ${optionalInput(names, p.type)} = None,\n`)
    .join('');

function constructors(names: Names, name: string, resource: ResourceDescription): string {
  const isRequired = requiredKeys(resource.inputs).length > 0;
  const args = isRequired ? `args: ${name}Args` : `args: Optional[${name}Args] = None`;
  return `    @overload
    def __init__(__self__,
                 resource_name: str,
                 opts: Optional[pulumi.ResourceOptions] = None,
${keywordParameters(names, resource.inputs)}                 __props__=None):
        """
        Create a ${name} resource with the given unique name, props, and options.

        :param str resource_name: The unique name of the resource.
        :param pulumi.ResourceOptions opts: Options for the resource.
        """
        ...

    @overload
    def __init__(__self__,
                 resource_name: str,
                 ${args},
                 opts: Optional[pulumi.ResourceOptions] = None):
        """
        Create a ${name} resource with the given unique name, props, and options.

        :param str resource_name: The unique name of the resource.
        :param ${name}Args args: The arguments to use to populate this resource's properties.
        :param pulumi.ResourceOptions opts: Options for the resource.
        """
        ...

    def __init__(__self__, resource_name: str, *args, **kwargs):
        resource_args, opts = _utilities.get_resource_args_opts(${name}Args, pulumi.ResourceOptions, *args, **kwargs)
        if resource_args is not None:
            __self__._internal_init(resource_name, opts, **resource_args.__dict__)
        else:
            __self__._internal_init(resource_name, *args, **kwargs)

`;
}

function internalInit(
  names: Names,
  name: string,
  token: string,
  resource: ResourceDescription,
  outputs: readonly string[],
): string {
  const required = new Set(requiredKeys(resource.inputs));
  const assign = outputs.map(key => {
    const own = snakeCase(key);
    const given = resource.inputs[key] === undefined ? 'None' : own;
    const check = required.has(key)
      ? `            if ${own} is None and not opts.urn:\n                raise TypeError("Missing required property '${own}'")\n`
      : '';
    return `${check}            __props__.__dict__["${own}"] = ${given}\n`;
  });
  return `    def _internal_init(__self__,
                 resource_name: str,
                 opts: Optional[pulumi.ResourceOptions] = None,
${keywordParameters(names, resource.inputs)}                 __props__=None):
        opts = pulumi.ResourceOptions.merge(_utilities.get_resource_opts_defaults(), opts)
        if not isinstance(opts, pulumi.ResourceOptions):
            raise TypeError('Expected resource options to be a ResourceOptions instance')
        if opts.id is None:
            if __props__ is not None:
                raise TypeError('__props__ is only valid when passed in combination with a valid opts.id to get an existing resource')
            __props__ = ${name}Args.__new__(${name}Args)

${assign.join('')}        super().__init__(
            '${token}',
            resource_name,
            __props__,
            opts)

`;
}

function getMethod(name: string, outputs: readonly string[]): string {
  const none = outputs.map(key => `        __props__.__dict__["${snakeCase(key)}"] = None\n`).join('');
  return `    @staticmethod
    def get(resource_name: str,
            id: pulumi.Input[str],
            opts: Optional[pulumi.ResourceOptions] = None) -> '${name}':
        """${GET_DOC}        """
        opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(id=id))

        __props__ = ${name}Args.__new__(${name}Args)

${none}        return ${name}(resource_name, opts=opts, __props__=__props__)
`;
}

/** `provider.py`. */
export function providerModule(description: PackageDescription): string {
  const names: Names = {description, module: ''};
  const secrets = sortedEntries(description.config).filter(([, p]) => p.secret);
  const assign = sortedEntries(description.config).map(([key, p]) => {
    const own = snakeCase(key);
    const value = p.secret ? `None if ${own} is None else pulumi.Output.secret(${own})` : own;
    return `        __props__.__dict__["${own}"] = ${value}\n`;
  });
  const parameters = sortedEntries(description.config)
    .map(
      ([key, p]) => `                 ${snakeCase(key)}: Optional[pulumi.Input[${inputType(names, p.type)}]] = None,\n`,
    )
    .join('');
  return `${PYTHON_HEADER}${TYPE_IMPORTS}from . import _utilities

__all__ = ['ProviderArgs', 'Provider']


${inputClass(names, 'ProviderArgs', 'The set of arguments for constructing a Provider resource.', description.config)}

@pulumi.type_token("pulumi:providers:${description.name}")
class Provider(pulumi.ProviderResource):
${docString(description.doc, '    ')}    def __init__(__self__, resource_name: str, *args, **kwargs):
        resource_args, opts = _utilities.get_resource_args_opts(ProviderArgs, pulumi.ResourceOptions, *args, **kwargs)
        if resource_args is not None:
            __self__._internal_init(resource_name, opts, **resource_args.__dict__)
        else:
            __self__._internal_init(resource_name, *args, **kwargs)

    def _internal_init(__self__,
                 resource_name: str,
                 opts: Optional[pulumi.ResourceOptions] = None,
${parameters}                 __props__=None):
        opts = pulumi.ResourceOptions.merge(_utilities.get_resource_opts_defaults(), opts)
        if not isinstance(opts, pulumi.ResourceOptions):
            raise TypeError('Expected resource options to be a ResourceOptions instance')
        if opts.id is not None or __props__ is not None:
            raise TypeError('a provider cannot be looked up')
        __props__ = ProviderArgs.__new__(ProviderArgs)

${assign.join('')}        secret_opts = pulumi.ResourceOptions(additional_secret_outputs=[${secrets.map(([key]) => `"${key}"`).join(', ')}])
        opts = pulumi.ResourceOptions.merge(opts, secret_opts)
        super().__init__(
            '${description.name}',
            resource_name,
            __props__,
            opts)
`;
}
