// SPDX-License-Identifier: Apache-2.0
/** The provider port over resource modules: configuration, choice of the module, secrecy, cancellation, error conversion. */
import type {Clock} from '@palisade/client';
import {diffProperties, toDiffResult} from '../detailed-diff.ts';
import {
  type CheckConfigRequest,
  type CheckFailure,
  type CheckResult,
  type ConfigureRequest,
  type CreateRequest,
  type DeleteRequest,
  type DiffConfigRequest,
  type DiffResult,
  type InvokeRequest,
  type InvokeResult,
  type ObjectOfState,
  type Provider,
  ProviderError,
  type ReadRequest,
  ResourceInitError,
  type UpdateRequest,
} from '../provider.ts';
import {type CallContext, parseUrn, type ResourceModule} from '../resources/resource.ts';
import {checkShape, cleanInputs} from '../schema/check-shape.ts';
import type {PackageDescription} from '../schema/package-description.ts';
import {formatPulumiSchema} from '../schema/to-pulumi-schema.ts';
import {concealFailures, concealProperties, revealProperties} from '../secrecy.ts';
import {ServerIdentity, type ServerProbe} from '../server-identity.ts';
import {toProviderError} from '../to-provider-error.ts';
import {isUnknown, type PropertyMap, type PropertyValue, secretOf} from '../value.ts';

/** What makes a package a provider. */
export type ProviderPackage = {
  readonly description: PackageDescription;
  /** Faults beyond names and types; `config` is plain, `unknown` names its unknown keys. */
  readonly checkConfig: (config: KnownConfig) => readonly CheckFailure[];
  /** Called once per `configure`; must not call the server. */
  readonly configure: (config: KnownConfig) => Configured;
  readonly clock: Clock;
};

/** Resource modules for one configuration, and the server they are on. */
export type Configured = {readonly modules: readonly ResourceModule[]; readonly server: ServerProbe};

/** Known members, and the keys whose values are known only after the deployment. */
export type KnownConfig = {
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly unknown: ReadonlySet<string>;
};

/** Bookkeeping of the engine and the SDK in a provider's inputs; not ours to judge. */
const ENGINE_KEYS = new Set(['version', 'pluginDownloadURL', 'pluginChecksums', '__internal', '__name']);

export function createProvider(parts: ProviderPackage): Provider {
  return new PackageProvider(parts);
}

class PackageProvider implements Provider {
  readonly name: string;
  readonly version: string;
  readonly #parts: ProviderPackage;
  #cancelled = new AbortController();
  #modules: readonly ResourceModule[] | undefined;
  #server: ServerIdentity | undefined;

  constructor(parts: ProviderPackage) {
    this.#parts = parts;
    this.name = parts.description.name;
    this.version = parts.description.version;
  }

  getSchema(): string {
    return formatPulumiSchema(this.#parts.description);
  }

  async checkConfig(request: CheckConfigRequest): Promise<CheckResult> {
    const plain = withoutEngineKeys(revealProperties(request.news));
    const {description} = this.#parts;
    const failures = checkShape(description, description.config, cleanInputs(description, description.config, plain));
    if (failures.length === 0) failures.push(...this.#parts.checkConfig(toKnownConfig(plain)));
    const inputs: Record<string, PropertyValue> = {};
    for (const [key, value] of Object.entries(request.news)) {
      if (value !== null) inputs[key] = description.config[key]?.secret ? secretOf(value) : value;
    }
    return {inputs, failures: concealFailures(failures, inputs)};
  }

  async diffConfig(request: DiffConfigRequest): Promise<DiffResult> {
    const before = withoutEngineKeys(revealProperties(request.oldInputs));
    const after = withoutEngineKeys(revealProperties(request.news));
    return toDiffResult(diffProperties(before, after));
  }

  async configure(request: ConfigureRequest): Promise<void> {
    const config = toKnownConfig(withoutEngineKeys(revealProperties(request.inputs)));
    // Configured again by the next engine of a plugin that outlives them (PULUMI_DEBUG_PROVIDERS): it was the last one that had it stop.
    // Of one engine that configures it twice the running calls must stay within reach of the cancellation.
    if (this.#modules !== undefined && this.#cancelled.signal.aborted) this.#cancelled = new AbortController();
    const {modules, server} = this.#parts.configure(config);
    this.#modules = modules;
    this.#server = new ServerIdentity(server, this.#parts.clock);
  }

  async check(request: Parameters<Provider['check']>[0]): Promise<CheckResult> {
    const module = this.#moduleOf(request.urn);
    const result = module.check({
      ...request,
      olds: revealProperties(request.olds),
      news: revealProperties(request.news),
    });
    const warnings = concealFailures(result.warnings ?? [], request.news);
    return {
      inputs: concealProperties(result.inputs, request.news),
      failures: concealFailures(result.failures, request.news),
      ...(warnings.length === 0 ? {} : {warnings}),
    };
  }

  async diff(request: Parameters<Provider['diff']>[0]): Promise<DiffResult> {
    const plain = {
      ...request,
      olds: revealProperties(request.olds),
      oldInputs: revealProperties(request.oldInputs),
      news: revealProperties(request.news),
    };
    const module = this.#moduleOf(request.urn);
    await this.assertSameServer([{urn: request.urn, properties: plain.olds}]);
    return module.diff(plain, {signal: this.#cancelled.signal});
  }

  async assertSameServer(objects: readonly ObjectOfState[]): Promise<void> {
    const plain = objects.map(({urn, properties}) => ({urn, properties: revealProperties(properties)}));
    await this.#server?.assertSame(plain, {signal: this.#cancelled.signal, optional: true});
  }

  async create(request: CreateRequest) {
    const {urn, news, preview: isPreview = false} = request;
    const plain = {...request, news: revealProperties(news)};
    const call: Call = {urn, before: {}, isPreview, models: [news]};
    return withoutSecrets(await this.#write(call, (module, context) => module.create(plain, context)), news);
  }

  async read(request: ReadRequest) {
    const {urn, inputs} = request;
    const properties = revealProperties(request.properties);
    const plain = {...request, inputs: revealProperties(inputs), properties};
    // What is imported or only looked up is whatever has the name on the server of now.
    const before = Object.keys(inputs).length === 0 ? {} : properties;
    const call: Call = {urn, before, isPreview: false, models: [inputs, request.properties]};
    const result = await this.#write(call, (module, context) => module.read(plain, context));
    return {...result, inputs: concealProperties(result.inputs, inputs)};
  }

  async update(request: UpdateRequest) {
    const {urn, news, preview: isPreview = false} = request;
    const before = revealProperties(request.olds);
    const oldInputs = revealProperties(request.oldInputs);
    const plain = {...request, olds: before, oldInputs, news: revealProperties(news)};
    const call: Call = {urn, before, isPreview, models: [news]};
    return withoutSecrets(await this.#write(call, (module, context) => module.update(plain, context)), news);
  }

  async delete(request: DeleteRequest): Promise<void> {
    const properties = revealProperties(request.properties);
    const plain = {...request, properties, oldInputs: revealProperties(request.oldInputs)};
    const call: Call = {urn: request.urn, before: properties, isPreview: false, models: [request.oldInputs]};
    await this.#call(call, (module, context) => module.delete(plain, context));
  }

  async invoke(request: InvokeRequest): Promise<InvokeResult> {
    const {description} = this.#parts;
    const inputs = description.functions[request.token.slice(description.name.length + 1)]?.inputs;
    const lookUp = this.#configured().find(module => module.lookUp?.token === request.token)?.lookUp;
    if (lookUp === undefined || inputs === undefined) {
      const name = JSON.stringify(request.token);
      throw new ProviderError('not-found', `the ${this.name} provider has no function ${name}`);
    }
    const args = cleanInputs(description, inputs, revealProperties(request.args));
    const failures = [...checkShape(description, inputs, args), ...lookUp.check(args)];
    if (failures.length > 0) return {result: {}, failures: concealFailures(failures, request.args)};
    const {signal} = this.#cancelled;
    if (signal.aborted) throw signal.reason;
    try {
      return {result: await lookUp.invoke(args, {signal}), failures};
    } catch (error) {
      throw toProviderError(error, request.token);
    }
  }

  cancel(): void {
    this.#cancelled.abort(new ProviderError('cancelled', `the ${this.name} provider was cancelled`));
  }

  #configured(): readonly ResourceModule[] {
    if (this.#modules !== undefined) return this.#modules;
    throw new ProviderError('failed-precondition', `the ${this.name} provider is not configured`);
  }

  #moduleOf(urn: string): ResourceModule {
    const {type} = parseUrn(urn);
    const modules = this.#configured();
    const module = modules.find(candidate => candidate.type === type);
    if (module !== undefined) return module;
    const types = modules.map(known => known.type).join(', ');
    throw new ProviderError(
      'not-found',
      `the ${this.name} provider has no resource type ${JSON.stringify(type)}; it has ${types}`,
    );
  }

  /** Runs one call to the server that the object is on. */
  async #call<T>(call: Call, run: (module: ResourceModule, context: CallContext) => Promise<T>): Promise<T> {
    const {urn, before, isPreview} = call;
    const module = this.#moduleOf(urn);
    const {signal} = this.#cancelled;
    if (signal.aborted) throw signal.reason;
    try {
      await this.#server?.assertSame([{urn, properties: before}], {signal, optional: isPreview});
      return await run(module, {signal});
    } catch (error) {
      if (error instanceof ResourceInitError) throw await this.#partial(error, call);
      throw toProviderError(error, parseUrn(urn).name);
    }
  }

  async #partial(error: ResourceInitError, call: Call): Promise<ResourceInitError> {
    const {id, reasons, inputs} = error;
    const properties = await this.#remember(concealProperties(error.properties, ...call.models), call);
    return new ResourceInitError(
      {id, reasons, inputs: concealProperties(inputs, call.models[0]), properties},
      {cause: error},
    );
  }

  /** The same, of a call that answers outputs: with what is secret in them, and the server they are of. */
  async #write<T extends {readonly properties: PropertyMap}>(
    call: Call,
    run: (module: ResourceModule, context: CallContext) => Promise<T>,
  ): Promise<T> {
    const result = await this.#call(call, run);
    const properties = await this.#remember(concealProperties(result.properties, ...call.models), call);
    return {...result, properties};
  }

  /** As given where nothing was made or found. */
  async #remember(properties: PropertyMap, {before, isPreview}: Call): Promise<PropertyMap> {
    const isNothing = isPreview || Object.keys(properties).length === 0;
    if (isNothing || this.#server === undefined) return properties;
    return this.#server.remember(properties, before, this.#cancelled.signal);
  }
}

type Call = {
  readonly urn: string;
  /** Outputs in the state, plain; empty of what is only made or found now. */
  readonly before: PropertyMap;
  readonly isPreview: boolean;
  /** What says which members of the answer are secret; of its inputs, the first one alone. */
  readonly models: readonly [PropertyMap, ...PropertyMap[]];
};

/** In the warnings; the properties are concealed by `#write`. */
function withoutSecrets<T extends {readonly warnings?: readonly CheckFailure[]}>(result: T, news: PropertyMap): T {
  return result.warnings === undefined ? result : {...result, warnings: concealFailures(result.warnings, news)};
}

function withoutEngineKeys(config: PropertyMap): PropertyMap {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !ENGINE_KEYS.has(key)));
}

function toKnownConfig(config: PropertyMap): KnownConfig {
  const values: Record<string, string | undefined> = {};
  const unknown = new Set<string>();
  for (const [key, value] of Object.entries(config)) {
    if (isUnknown(value)) unknown.add(key);
    else if (typeof value === 'string' && value !== '') values[key] = value;
  }
  return {values, unknown};
}
