// SPDX-License-Identifier: Apache-2.0
/**
 * Ports with checks: of groups and of registrations. Ref: requirements E-080 to E-088;
 * kubernetes v1.36 pkg/apis/core/validation/validation.go validateProbe, validateHandler, validateHTTPGetAction.
 */
import {childPath, duplicate, type FieldError, indexPath, tooMany} from '@palisade/kube-wire';
import {validatePort} from '../endpoints/validate.ts';
import type {CheckedPort} from './types.ts';
import {checkWarnings, validateCheck} from './validate-check.ts';

/** Of one group or registration. */
export const PORTS_MAX = 100;

/**
 * The rules of ports of Endpoints. Beyond these: no two ports have the same name (a registration finds the port of its group by
 * name), nor the same number and protocol (the keys of the list). Of too many none is looked at.
 */
export const validateCheckedPorts = (ports: readonly CheckedPort[], path: string): FieldError[] => {
  if (ports.length > PORTS_MAX) return [tooMany(path, ports.length, PORTS_MAX)];
  const names = new Set<string>();
  const keys = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = indexPath(path, index);
    const {name = '', port: number = 0, protocol = '', check} = port;
    const errors = validatePort(port, ports.length > 1, at);
    if (name !== '' && names.has(name)) errors.push(duplicate(childPath(at, 'name'), name));
    names.add(name);
    const key = `${number}/${protocol}`;
    if (keys.has(key)) errors.push(duplicate(at, key));
    keys.add(key);
    if (check !== undefined) errors.push(...validateCheck(port, check, childPath(at, 'check')));
    return errors;
  });
};

/** Advice about checks that are allowed, and do not do what they seem to. */
export const checkedPortWarnings = (ports: readonly CheckedPort[], path: string): string[] =>
  ports
    .slice(0, PORTS_MAX)
    .flatMap((port, index) =>
      port.check === undefined ? [] : checkWarnings(port.check, childPath(indexPath(path, index), 'check')),
    );
