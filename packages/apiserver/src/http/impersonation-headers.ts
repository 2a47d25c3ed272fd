// SPDX-License-Identifier: Apache-2.0
/** Impersonate-User, -Group (repeated), -Uid and -Extra-KEY (repeated) as a user. Ref: kubernetes v1.36 apiserver/pkg/endpoints/filters/impersonation. */
import {goQuote} from '@palisade/kube-wire';
import {headerText} from '../base/header-text.ts';
import {badRequest} from '../base/status-error.ts';
import type {UserInfo} from '../identity/authenticator.ts';
import {decodePercent} from '../request/percent-encoding.ts';

export type RequestHeaders = {
  /** Lower-case names; repeated ones are joined. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
};

const PREFIX = 'impersonate-';
const EXTRA = 'impersonate-extra-';

/** What the headers ask for, before any default. */
export type WantedUser = UserInfo & {readonly uid: string; readonly extra: Readonly<Record<string, readonly string[]>>};

/** Undefined when nobody is impersonated. Throws StatusError 400 when there is no user name. */
export const wantedUserOf = (request: RequestHeaders): WantedUser | undefined => {
  if (!hasImpersonation(request.headers)) return undefined;
  const {rawHeaders} = request;
  let name: string | undefined;
  let uid: string | undefined;
  const groups: string[] = [];
  const extra: Record<string, string[]> = {};
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const header = (rawHeaders[i] as string).toLowerCase();
    const value = headerText(rawHeaders[i + 1] as string);
    if (header === 'impersonate-user') name ??= value;
    else if (header === 'impersonate-uid') uid ??= value;
    else if (header === 'impersonate-group') groups.push(value);
    else if (header.startsWith(EXTRA)) {
      const key = unescapeKey(header.slice(EXTRA.length));
      if (Object.hasOwn(extra, key)) extra[key]?.push(value);
      else Object.defineProperty(extra, key, {value: [value], enumerable: true, writable: true, configurable: true});
    }
  }
  const wanted = {name: name ?? '', uid: uid ?? '', groups, extra};
  if (wanted.name !== '') return wanted;
  if (wanted.uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw badRequest(`requested ${goUser(wanted)} without impersonating a user name`);
};

const hasImpersonation = (headers: RequestHeaders['headers']): boolean => {
  for (const name in headers) if (name.startsWith(PREFIX)) return true;
  return false;
};

/** A key that is escaped badly counts as it is. */
const unescapeKey = (key: string): string => decodePercent(key) ?? key;

/** The struct as Go's `%#v` writes it. */
const goUser = ({name, uid, groups, extra}: WantedUser): string => {
  const list = (values: readonly string[]): string => `[]string{${values.map(goQuote).join(', ')}}`;
  const keys = Object.keys(extra).sort();
  const groupText = groups.length === 0 ? '[]string(nil)' : list(groups);
  const extraText =
    keys.length === 0
      ? 'map[string][]string(nil)'
      : `map[string][]string{${keys.map(key => `${goQuote(key)}:${list(extra[key] ?? [])}`).join(', ')}}`;
  return `&user.DefaultInfo{Name:${goQuote(name)}, UID:${goQuote(uid)}, Groups:${groupText}, Extra:${extraText}}`;
};
