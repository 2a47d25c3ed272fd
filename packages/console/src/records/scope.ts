// SPDX-License-Identifier: Apache-2.0
/** Whose records a page looks at: those of an IDS endpoint, of a location or of all. */
import {type Field, text} from '../routing/search.ts';

export const EVERYWHERE = 'projects/-/locations/-/endpoints/-';

const NAME = /^projects\/[^/?#\s]+\/locations\/[^/?#\s]+\/endpoints\/[^/?#\s]+$/;
export const isScope = (name: string): boolean => NAME.test(name);

/** A full name whose parts may be `-`. */
export const scope = (): Field<string> => {
  const plain = text(EVERYWHERE);
  return {
    read: all => {
      const name = plain.read(all);
      return isScope(name) ? name : EVERYWHERE;
    },
    write: plain.write,
  };
};

/** Where rights are asked for: the endpoint, or its location when it stands for all of them. */
export const rightsParent = (name: string): string =>
  name.endsWith('/-') ? name.replace(/\/endpoints\/-$/, '') : name;
