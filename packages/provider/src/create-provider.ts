// SPDX-License-Identifier: Apache-2.0
/** The provider port over resource modules: configuration, choice of the module, secrecy, cancellation, error conversion. */
import {diffProperties, toDiffResult} from './detailed-diff.ts';
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
  type Provider,
  ProviderError,
  type ReadRequest,
  ResourceInitError,
  type UpdateRequest,
} from './provider.ts';
import {type CallContext, parseUrn, type ResourceModule} from './resources/resource.ts';
import {checkShape, cleanInputs} from './schema/check-shape.ts';
import type {PackageDescription} from './schema/package-description.ts';
import {formatPulumiSchema} from './schema/to-pulumi-schema.ts';
import {concealFailures, concealProperties, revealProperties} from './secrecy.ts';
import {toProviderError} from './to-provider-error.ts';
import {isUnknown, type PropertyMap, type PropertyValue, secretOf} from './value.ts';

/** What makes a package a provider. */
export type ProviderPackage = {
  readonly description: PackageDescription;
  /** Faults beyond names and types; `config` is plain, `unknown` names its unknown keys. */
  readonly checkConfig: (config: KnownConfig) => readonly CheckFailure[];
  /** Resource modules for this configuration. Called once per `configure`; must not call the server. */
  readonly configure: (config: KnownConfig) => readonly ResourceModule[];
};

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
    this.#modules = this.#parts.configure(config);
  }

  async check(request: Parameters<Provider['check']>[0]): Promise<CheckResult> {
    const module = this.#moduleOf(request.urn);
    const result = module.check({
      ...request,
      olds: revealProperties(request.olds),
      news: revealProperties(request.news),
    });
    return {
      inputs: concealProperties(result.inputs, request.news),
      failures: concealFailures(result.failures, request.news),
    };
  }

  async diff(request: Parameters<Provider['diff']>[0]): Promise<DiffResult> {
    const plain = {
      ...request,
      olds: revealProperties(request.olds),
      oldInputs: revealProperties(request.oldInputs),
      news: revealProperties(request.news),
    };
    return this.#moduleOf(request.urn).diff(plain, {signal: this.#cancelled.signal});
  }

  async create(request: CreateRequest) {
    const {news} = request;
    const result = await this.#call(
      request.urn,
      (module, context) => module.create({...request, news: revealProperties(news)}, context),
      news,
    );
    return {...result, properties: concealProperties(result.properties, news)};
  }

  async read(request: ReadRequest) {
    const {inputs, properties} = request;
    const result = await this.#call(
      request.urn,
      (module, context) =>
        module.read({...request, inputs: revealProperties(inputs), properties: revealProperties(properties)}, context),
      inputs,
    );
    return {
      id: result.id,
      inputs: concealProperties(result.inputs, inputs),
      properties: concealProperties(result.properties, inputs, properties),
    };
  }

  async update(request: UpdateRequest) {
    const {news} = request;
    const plain = {
      ...request,
      news: revealProperties(news),
      olds: revealProperties(request.olds),
      oldInputs: revealProperties(request.oldInputs),
    };
    const result = await this.#call(request.urn, (module, context) => module.update(plain, context), news);
    return {properties: concealProperties(result.properties, news)};
  }

  async delete(request: DeleteRequest): Promise<void> {
    const plain = {
      ...request,
      properties: revealProperties(request.properties),
      oldInputs: revealProperties(request.oldInputs),
    };
    await this.#call(request.urn, (module, context) => module.delete(plain, context), request.oldInputs);
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
    this.#cancelled.abort(new ProviderError('cancelled', `the ${this.name} provider was told to stop`));
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

  /** Runs one call that may reach the server; `models` says what is secret in a partial result. */
  async #call<T>(
    urn: string,
    run: (module: ResourceModule, context: CallContext) => Promise<T>,
    models: PropertyMap,
  ): Promise<T> {
    const module = this.#moduleOf(urn);
    const {signal} = this.#cancelled;
    if (signal.aborted) throw signal.reason;
    try {
      return await run(module, {signal});
    } catch (error) {
      if (error instanceof ResourceInitError) throw concealPartial(error, models);
      throw toProviderError(error, parseUrn(urn).name);
    }
  }
}

function concealPartial(error: ResourceInitError, models: PropertyMap): ResourceInitError {
  return new ResourceInitError(
    {
      id: error.id,
      reasons: error.reasons,
      inputs: concealProperties(error.inputs, models),
      properties: concealProperties(error.properties, models),
    },
    {cause: error},
  );
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
