// SPDX-License-Identifier: Apache-2.0
/** The rules of AccessToken: a name that a user can have, and bounds. */
import {
  childPath,
  duplicate,
  type FieldError,
  forbidden,
  indexPath,
  invalid,
  required,
  tooMany,
} from '@palisade/kube-wire';
import {rangeFaults} from '../number-ranges.ts';
import type {AccessToken} from './types.ts';

const YEAR_SECONDS = 31_536_000;
export const TTL_SECONDS_MAX = 10 * YEAR_SECONDS;
export const GROUPS_MAX = 64;
const NAME_CHARS_MAX = 1_024;
const DESCRIPTION_CHARS_MAX = 1_024;
const SERVICE_ACCOUNT_PREFIX = 'system:serviceaccount:';

const at = (field: string): string => childPath('spec', field);

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Of a name as users, groups and UIDs have it: any text that a log line can show. */
const nameFaults = (path: string, name: string): FieldError[] => {
  if (name.length > NAME_CHARS_MAX)
    return [invalid(path, `${name.slice(0, 32)}…`, `must have at most ${NAME_CHARS_MAX} characters`)];
  return CONTROL.test(name) ? [invalid(path, name, 'must not contain control characters')] : [];
};

const userFaults = (user: string): FieldError[] => {
  if (user === '') return [required(at('user'), 'must be the name of a user')];
  if (user === 'system:anonymous')
    return [invalid(at('user'), user, 'must not be the user of requests without a credential')];
  if (user.startsWith(SERVICE_ACCOUNT_PREFIX))
    return [invalid(at('user'), user, 'must not be a service account: use kubectl create token for it')];
  return nameFaults(at('user'), user);
};

const groupFaults = (groups: readonly string[]): FieldError[] => {
  const errors: FieldError[] = [];
  if (groups.length > GROUPS_MAX) errors.push(tooMany(at('groups'), groups.length, GROUPS_MAX));
  for (const [index, group] of groups.slice(0, GROUPS_MAX).entries()) {
    const path = indexPath(at('groups'), index);
    if (group === '') errors.push(invalid(path, group, 'must not be empty'));
    else if (group === 'system:unauthenticated')
      errors.push(invalid(path, group, 'must not be the group of requests without a credential'));
    else if (groups.indexOf(group) < index) errors.push(duplicate(path, group));
    else errors.push(...nameFaults(path, group));
  }
  return errors;
};

export const validateAccessToken = ({metadata, spec = {}}: AccessToken): FieldError[] => {
  const {user = '', uid = '', groups = [], description = ''} = spec;
  const errors = [...userFaults(user), ...nameFaults(at('uid'), uid), ...groupFaults(groups)];
  errors.push(...rangeFaults(spec, {ttlSeconds: [1, TTL_SECONDS_MAX]}, 'spec'));
  if (description.length > DESCRIPTION_CHARS_MAX)
    errors.push(
      invalid(
        at('description'),
        `${description.slice(0, 32)}…`,
        `must have at most ${DESCRIPTION_CHARS_MAX} characters`,
      ),
    );
  if ((metadata.finalizers ?? []).length > 0)
    errors.push(
      forbidden('metadata.finalizers', 'nothing may hold back the deletion of a token, and nobody could take it away'),
    );
  return errors;
};
