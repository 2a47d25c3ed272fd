// SPDX-License-Identifier: Apache-2.0
/**
 * Syntax of names, labels and keys. Each function returns the texts of what is wrong, none when all is well.
 * Ref: kubernetes v1.36 apimachinery pkg/util/validation/validation.go, pkg/api/validate/content, pkg/api/validation/generic.go.
 */

const DNS1123_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS1123_SUBDOMAIN = `${DNS1123_LABEL}(\\.${DNS1123_LABEL})*`;
const LABEL_KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${LABEL_KEY})?`;
const CONFIG_KEY = '[-._a-zA-Z0-9]+';

export const LABEL_LENGTH_MAX = 63;
export const SUBDOMAIN_LENGTH_MAX = 253;

const dns1123Label = new RegExp(`^${DNS1123_LABEL}$`);
const dns1123Subdomain = new RegExp(`^${DNS1123_SUBDOMAIN}$`);
const labelKey = new RegExp(`^${LABEL_KEY}$`);
const labelValue = new RegExp(`^${LABEL_VALUE}$`);
const configKey = new RegExp(`^${CONFIG_KEY}$`);

const NAME_CHARACTERS =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Length in bytes, as Go counts. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

/** A string that breaks a pattern, with examples of what would not. */
function regexFault(message: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`;
  const list = examples.map(e => `'${e}', `).join(' or ');
  return `${message} (e.g. ${list}regex used for validation is '${pattern}')`;
}

const tooManyCharacters = (max: number): string => `must be no more than ${max} characters`;
const tooManyBytes = (max: number): string => `must be no more than ${max} bytes`;

export function dns1123LabelFaults(value: string): string[] {
  const faults: string[] = [];
  if (byteLength(value) > LABEL_LENGTH_MAX) faults.push(tooManyCharacters(LABEL_LENGTH_MAX));
  if (!dns1123Label.test(value)) {
    faults.push(
      dns1123Subdomain.test(value)
        ? 'must not contain dots'
        : regexFault(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
            DNS1123_LABEL,
            'my-name',
            '123-abc',
          ),
    );
  }
  return faults;
}

export function dns1123SubdomainFaults(value: string): string[] {
  return subdomainFaults(value, tooManyCharacters);
}

function subdomainFaults(value: string, tooLong: (max: number) => string): string[] {
  const faults: string[] = [];
  if (byteLength(value) > SUBDOMAIN_LENGTH_MAX) faults.push(tooLong(SUBDOMAIN_LENGTH_MAX));
  if (!dns1123Subdomain.test(value)) {
    faults.push(
      regexFault(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        DNS1123_SUBDOMAIN,
        'example.com',
      ),
    );
  }
  return faults;
}

/** A label key: an optional DNS subdomain and `/`, then a name. Also called a qualified name. */
export function qualifiedNameFaults(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    const form = regexFault(NAME_CHARACTERS, LABEL_KEY, 'MyName', 'my.name', '123-abc');
    return [`a valid label key ${form} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const faults: string[] = [];
  const name = parts.at(-1) as string;
  if (parts.length === 2) {
    const prefix = parts[0] as string;
    if (prefix === '') faults.push('prefix part must be non-empty');
    else faults.push(...subdomainFaults(prefix, tooManyBytes).map(fault => `prefix part ${fault}`));
  }
  if (name === '') faults.push('name part must be non-empty');
  else if (byteLength(name) > LABEL_LENGTH_MAX) faults.push(`name part ${tooManyBytes(LABEL_LENGTH_MAX)}`);
  if (!labelKey.test(name)) {
    faults.push(`name part ${regexFault(NAME_CHARACTERS, LABEL_KEY, 'MyName', 'my.name', '123-abc')}`);
  }
  return faults;
}

export function labelValueFaults(value: string): string[] {
  const faults: string[] = [];
  if (byteLength(value) > LABEL_LENGTH_MAX) faults.push(tooManyBytes(LABEL_LENGTH_MAX));
  if (!labelValue.test(value)) {
    const message = `a valid label must be an empty string or consist of ${NAME_CHARACTERS.slice('must consist of '.length)}`;
    faults.push(regexFault(message, LABEL_VALUE, 'MyValue', 'my_value', '12345'));
  }
  return faults;
}

/** A key of a ConfigMap or Secret. */
export function configKeyFaults(value: string): string[] {
  const faults: string[] = [];
  if (byteLength(value) > SUBDOMAIN_LENGTH_MAX) faults.push(tooManyCharacters(SUBDOMAIN_LENGTH_MAX));
  if (!configKey.test(value)) {
    const message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    faults.push(regexFault(message, CONFIG_KEY, 'key.name', 'KEY_NAME', 'key-name'));
  }
  if (value === '.' || value === '..') faults.push(`must not be '${value}'`);
  else if (value.startsWith('..')) faults.push("must not start with '..'");
  return faults;
}

/** What may stand as one segment of a path. Ref: pkg/api/validate/content/path.go. */
export function pathSegmentNameFaults(name: string, prefix = false): string[] {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter(part => name.includes(part)).map(part => `may not contain '${part}'`);
}

export function portNumberFaults(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : ['must be between 1 and 65535, inclusive'];
}

const PORT_NAME_LENGTH_MAX = 15;

/** An IANA service name. Ref: apimachinery pkg/util/validation IsValidPortName. */
export function portNameFaults(name: string): string[] {
  const faults: string[] = [];
  if (byteLength(name) > PORT_NAME_LENGTH_MAX) faults.push(tooManyCharacters(PORT_NAME_LENGTH_MAX));
  if (!/^[-a-z0-9]+$/.test(name)) {
    faults.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(name)) faults.push('must contain at least one letter (a-z)');
  if (name.includes('--')) faults.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) faults.push('must not begin or end with a hyphen');
  return faults;
}

/** A rule for object names; with `prefix` the text is a generateName, which may end in a dash. */
export type NameRule = (name: string, prefix: boolean) => string[];

export const nameIsDnsSubdomain: NameRule = (name, prefix) => dns1123SubdomainFaults(prefix ? maskDash(name) : name);
export const nameIsDnsLabel: NameRule = (name, prefix) => dns1123LabelFaults(prefix ? maskDash(name) : name);
/** RBAC objects: any path segment. */
export const nameIsPathSegment: NameRule = (name, prefix) => pathSegmentNameFaults(name, prefix);

/** Replaces the last two characters, as upstream does: the character before the dash goes unchecked. */
function maskDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}
