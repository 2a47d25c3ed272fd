// SPDX-License-Identifier: Apache-2.0
/**
 * The keys of a configuration file: one for each flag of `palisade serve`, made from its option table, and those without a flag. A new
 * flag has its key without further work.
 */
import type {FileSettings} from '@palisade/server/config';
import {isLiveKey} from '@palisade/server/live-keys';
import type {Option, OptionTable} from '../command-line/options.ts';
import {serveOptions} from '../serve/serve-options.ts';
import {exporters} from './exporter-keys.ts';
import type {Fields, Shape, ValueOf} from './shape.ts';

const matches = {
  kind: 'list',
  of: {kind: 'text', orNumber: true, form: 'a SID, GID:SID, group:FILE or re:EXPRESSION'},
  form: 'a list, such as [2019401, "group:emerging-policy.rules"]',
} as const satisfies Shape;
const vars = {
  kind: 'map',
  of: {kind: 'text', orNumber: true, form: 'a text, such as "[10.0.0.53,10.0.1.53]"'},
  form: 'a mapping of names to values, such as {DNS_SERVERS: 10.0.0.53}',
} as const satisfies Shape;

const source = {
  kind: 'object',
  form: 'a mapping with "at"',
  fields: {
    at: {
      kind: 'text',
      isPath: true,
      required: true,
      form: 'a path or URL',
      doc: 'rule file, folder or archive, by path or http(s) URL',
    },
    sha256: {
      kind: 'text',
      pattern: /[0-9a-f]{64}/i,
      form: '64 hex digits in quotes, as sha256sum prints them',
      doc: 'checksum of the file or archive',
    },
    enable: {...matches, doc: 'enable these rules of the source'},
    modify: {
      kind: 'list',
      form: 'a list of {match, from, to}',
      doc: 'replace the text that "from" matches in these rules',
      of: {
        kind: 'object',
        form: 'a mapping with "match", "from" and "to"',
        fields: {
          match: {kind: 'text', orNumber: true, required: true, form: matches.of.form, doc: 'the rules to change'},
          from: {kind: 'text', required: true, form: 'a regular expression in quotes', doc: 'a regular expression'},
          to: {kind: 'text', orNumber: true, required: true, form: 'a text in quotes', doc: 'the new text'},
        },
      },
    },
    disable: {...matches, doc: 'disable these rules of the source'},
  },
} as const satisfies Shape;

/** Records have had budgets of their own since they are kept in files of their own. */
const SIZES_NOW =
  'records are limited by their size now: remove the key, or give threatsBytes and trafficBytes outside of limits, such as threatsBytes: 4GiB';
const AGES_NOW =
  'threats and traffic have ages of their own now: give threatsAge and trafficAge outside of limits, such as threatsAge: 90d';

/** What no flag can say. */
export const EXTRA_KEYS = {
  ruleSets: {
    kind: 'list',
    form: 'a list of rule sets, each with "name" and "sources"',
    doc: 'rule sets; "default" is that of all endpoints that no binding names',
    of: {
      kind: 'object',
      form: 'a mapping with "name" and "sources"',
      fields: {
        name: {kind: 'text', required: true, form: 'a name, such as default', doc: 'name of the set'},
        sources: {
          kind: 'list',
          of: source,
          isFilled: true,
          required: true,
          form: 'a list of sources, such as [{at: my.rules}]',
          doc: 'sources in load order',
        },
        thresholdFiles: {
          kind: 'list',
          of: {kind: 'text', isPath: true, form: 'a path'},
          form: 'a list of paths, such as [threshold.config]',
          doc: 'files with threshold and suppress lines',
        },
      },
    },
  },
  ruleBindings: {
    kind: 'list',
    form: 'a list, such as [{set: strict, location: local}]',
    doc: 'which endpoints inspect with which rule set',
    of: {
      kind: 'object',
      form: 'a mapping with "set", and "location" or "endpoint"',
      fields: {
        set: {kind: 'text', required: true, form: 'the name of a rule set', doc: 'name of a rule set'},
        location: {kind: 'text', form: 'a location, such as local', doc: 'a location'},
        endpoint: {kind: 'text', form: 'the full name of an endpoint', doc: 'a full name; "-" and "*" are wildcards'},
      },
    },
  },
  endpoints: {
    kind: 'list',
    form: 'a list, such as [{match: projects/-/locations/-/endpoints/web, vars: {…}}]',
    doc: 'variables of some endpoints',
    of: {
      kind: 'object',
      form: 'a mapping with "match" and "vars"',
      fields: {
        match: {
          kind: 'text',
          required: true,
          form: 'the full name of an endpoint',
          doc: 'a full name; "-" and "*" are wildcards',
        },
        vars: {...vars, required: true, doc: 'variables that rules use, in addition to those of all endpoints'},
      },
    },
  },
  exporters,
  limits: {
    kind: 'object',
    form: 'a mapping of limits',
    doc: 'limits of sensors',
    fields: {
      packetQueue: {kind: 'size', doc: 'bytes of packets that wait for Suricata, per endpoint (driver relay)'},
      lossPercent: {
        kind: 'number',
        min: 0,
        form: 'a percentage of 0 or more, such as 1',
        doc: 'more lost packets within a minute make an endpoint DEGRADED',
      },
      diskFloor: {kind: 'size', doc: 'less free disk space makes an endpoint DEGRADED'},
    },
    gone: {recordsPerEndpoint: SIZES_NOW, records: SIZES_NOW, recordAge: AGES_NOW},
  },
} as const satisfies Fields;

type ExtraValues = {readonly [K in keyof typeof EXTRA_KEYS]?: ValueOf<(typeof EXTRA_KEYS)[K]> | undefined};

/** What a file says beyond flags. */
export const fileSettings = ({
  ruleSets = [],
  ruleBindings = [],
  endpoints = [],
  exporters: exportEntries = [],
  limits = {},
}: ExtraValues): FileSettings => ({
  ruleSets,
  ruleBindings,
  endpoints,
  exporters: exportEntries,
  limits,
});

export type FileKey = {
  readonly shape: Shape;
  /** The flag that says the same. */
  readonly flag: string | undefined;
  /** SIGHUP applies a new value; of an object: of each of its fields for itself, see `isLiveKey`. */
  readonly isLive: boolean;
  /** Why the key does not work yet, and the way out. It is not in the JSON schema. */
  readonly refused: string | undefined;
};
export type FileKeys = Readonly<Record<string, FileKey>>;

/** `token-auth-file` → `tokenAuthFile`. */
const camelCase = (flag: string): string => flag.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
/** The names of a mapping are several. */
export const keyOfFlag = (flag: string, {inFile}: Option): string => camelCase(inFile === 'map' ? `${flag}s` : flag);

const scalarShape = ({value = 'VALUE', inFile, oneOf, completes, leftOut}: Option): Shape => {
  if (inFile === 'number') return {kind: 'number', form: 'a number'};
  if (inFile === 'count') return {kind: 'number', isWhole: true, min: 1, form: 'a whole number from 1, such as 10'};
  if (oneOf !== undefined) {
    const choice = oneOf.length > 1 ? `one of ${oneOf.join(', ')}` : String(oneOf[0]);
    return {kind: 'text', oneOf, form: leftOut === undefined ? choice : `${choice}; ${leftOut}`};
  }
  return {
    kind: 'text',
    form: value.startsWith('HOST:PORT')
      ? `${value.replace('|', ' or ')}, such as "127.0.0.1:8080"`
      : `a text (${value})`,
    ...(inFile === 'size' || inFile === 'words-or-numbers' ? {orNumber: true} : {}),
    ...(completes === 'file' || completes === 'folder' ? {isPath: true} : {}),
  };
};

const shapeOf = (option: Option): Shape => {
  const {doc, type, inFile, value = 'VALUE'} = option;
  if (inFile === 'map') return {...vars, doc};
  if (type === 'boolean') return {kind: 'flag', doc};
  if (type === 'string') return {...scalarShape(option), doc};
  return inFile === 'words-or-numbers'
    ? {...matches, doc}
    : {kind: 'list', of: scalarShape(option), form: `a list in brackets, such as [${value.split(',')[0]}]`, doc};
};

export const fileKeysOf = (options: OptionTable): FileKeys => ({
  ...Object.fromEntries(
    Object.entries(options)
      .filter(([, {inFile}]) => inFile !== 'none')
      .map(([flag, option]): [string, FileKey] => {
        const key = keyOfFlag(flag, option);
        return [key, {shape: shapeOf(option), flag, isLive: isLiveKey(key), refused: option.refused}];
      }),
  ),
  ...Object.fromEntries(
    Object.entries(EXTRA_KEYS).map(([key, shape]): [string, FileKey] => [
      key,
      {shape, flag: undefined, isLive: isLiveKey(key), refused: undefined},
    ]),
  ),
});

export const FILE_KEYS: FileKeys = fileKeysOf(serveOptions);
