// SPDX-License-Identifier: Apache-2.0
/**
 * Every key of Pulumi.yaml and Pulumi.<stack>.yaml that the Pulumi CLI knows, and what it does here.
 * Ref: Pulumi sdk/go/common/workspace project.json, ProjectStack; parseOptions of pulumi-language-nodejs and pulumi-language-python.
 */
import type {KeyRule, KeyRules} from './key-rules.ts';

const FOR_READERS: KeyRule = {fate: 'inert', type: 'text', note: 'for readers'};
const FOR_NEW: KeyRule = {fate: 'inert', note: 'read by pulumi new'};
const FOR_INSTALL = 'read when packages are installed, which palisade does not do';
const USE_CLI = 'or use the Pulumi CLI for this project';

export const PROJECT_KEYS: KeyRules = {
  name: {fate: 'used', note: 'in every URN'},
  runtime: {fate: 'used', note: 'the language that runs the program'},
  main: {fate: 'used', type: 'text', note: 'entry point of the program'},
  description: FOR_READERS,
  author: FOR_READERS,
  website: FOR_READERS,
  license: FOR_READERS,
  config: {fate: 'used', note: 'values, defaults and declared types; a string is the old form of stackConfigDir'},
  stackConfigDir: {fate: 'used', type: 'text', note: 'folder of the Pulumi.<stack>.yaml files'},
  backend: {
    fate: 'used',
    type: 'map',
    note: 'where the state is',
    keys: {url: {fate: 'used', type: 'text', note: 'address of the state; PULUMI_BACKEND_URL comes first'}},
  },
  options: {
    fate: 'used',
    type: 'map',
    note: 'options of the project',
    keys: {refresh: {fate: 'used', values: ['always'], note: 'refresh before up, preview and destroy'}},
  },
  template: {
    fate: 'inert',
    type: 'map',
    note: 'read by pulumi new',
    keys: {
      displayName: FOR_NEW,
      description: FOR_NEW,
      quickstart: FOR_NEW,
      important: FOR_NEW,
      metadata: FOR_NEW,
      config: FOR_NEW,
    },
  },
  packages: {fate: 'used', type: 'map', note: 'packages that are built in; another one is refused'},
  plugins: {
    fate: 'used',
    type: 'map',
    note: 'where the Pulumi CLI finds plugins',
    keys: {
      providers: {fate: 'used', type: 'list', note: 'packages that are built in; another one is refused'},
      analyzers: {
        fate: 'refused',
        type: 'list',
        note: `the embedded engine runs no policy packs: remove them, ${USE_CLI}`,
      },
      languages: {
        fate: 'refused',
        type: 'list',
        note: `the embedded engine has its own hosts for nodejs and python: remove them, ${USE_CLI}`,
      },
    },
  },
  requiredPulumiVersion: {fate: 'used', type: 'text', note: 'compared with the version that the engine follows'},
};

/** Of `runtime` as a map. */
export const RUNTIME_KEYS: KeyRules = {
  name: {fate: 'used', note: 'the language'},
  options: {fate: 'used', type: 'map', note: 'RUNTIME_OPTIONS'},
};

/** Of `runtime.options`, by language. */
export const RUNTIME_OPTIONS: Readonly<Record<'nodejs' | 'python', KeyRules>> = {
  nodejs: {
    typescript: {fate: 'used', type: 'flag', note: 'run TypeScript as it is (default true)'},
    tsconfig: {fate: 'used', type: 'text', note: 'PULUMI_NODEJS_TSCONFIG_PATH of the program'},
    nodeargs: {fate: 'used', type: 'text', note: 'arguments of node, quoted as in a shell'},
    packagemanager: {fate: 'inert', values: ['auto', 'npm', 'yarn', 'pnpm', 'bun'], note: FOR_INSTALL},
    production: {fate: 'inert', type: 'flag', note: FOR_INSTALL},
  },
  python: {
    virtualenv: {fate: 'used', type: 'text', note: 'folder of the virtual environment'},
    typechecker: {fate: 'used', values: ['mypy', 'pyright'], note: 'judges the program before it runs'},
    toolchain: {
      fate: 'used',
      values: ['pip', 'uv', 'poetry'],
      refusedValues: {
        poetry:
          'the embedded engine does not ask Poetry for its environment: set toolchain: pip and virtualenv to' +
          ` the output of \`poetry env info --path\`, ${USE_CLI}`,
      },
      note: 'which virtual environment is meant',
    },
  },
};

/** Of a declaration in `config:` of Pulumi.yaml. */
export const DECLARATION_KEYS: KeyRules = {
  type: {fate: 'used', values: ['string', 'integer', 'boolean', 'array', 'object'], note: 'the value has this type'},
  items: {fate: 'used', type: 'map', note: 'type of the members of an array'},
  description: FOR_READERS,
  secret: {fate: 'used', type: 'flag', note: 'the value is encrypted'},
  default: {fate: 'used', note: 'the value if the stack has none'},
  value: {fate: 'used', note: 'the value if the stack has none'},
};

/** Of Pulumi.<stack>.yaml. */
export const STACK_KEYS: KeyRules = {
  config: {fate: 'used', type: 'map', note: 'values of the stack'},
  encryptionsalt: {fate: 'used', type: 'text', note: 'salt of the passphrase'},
  secretsprovider: {fate: 'used', type: 'text', note: 'passphrase or default; another one is refused'},
  encryptedkey: {
    fate: 'refused',
    note: 'the key of a cloud secrets provider; only the passphrase secrets manager is supported: use the Pulumi CLI for this stack',
  },
  environment: {
    fate: 'refused',
    note:
      'environments of Pulumi ESC are not read by the embedded engine: set their values with palisade config set' +
      ' and remove this key, or use the Pulumi CLI for this stack',
  },
};

/** Of `config:` under the name `pulumi`, which is the CLI's own. Programs may read others there. */
export const PULUMI_CONFIG_KEYS: KeyRules = {
  autonaming: {fate: 'used', type: 'map', note: 'how resources without a name are named'},
  'disable-default-providers': {fate: 'used', note: 'packages whose resources need an explicit provider'},
  tags: {fate: 'inert', note: 'shown by Pulumi Cloud'},
  template: {fate: 'inert', note: 'written by pulumi new'},
};
