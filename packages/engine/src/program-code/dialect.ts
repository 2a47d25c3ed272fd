// SPDX-License-Identifier: Apache-2.0
/** What a language has to write of a program, and what it gets for that. */
import type {Language} from '../workspace/language.ts';
import type {PackageSchema} from './package-schema.ts';
import type {CodeMembers} from './value-code.ts';

export type Declaration = {
  readonly variable: string;
  readonly type: string;
  /** In the program: `new X("name")`. */
  readonly name: string;
  /** undefined: a component that no package has. */
  readonly schema: PackageSchema | undefined;
  readonly inputs: CodeMembers;
  readonly options: Options;
};

/** Variables, and what is only said when it is so. */
export type Options = {
  readonly parent: string | undefined;
  readonly provider: string | undefined;
  readonly protect: boolean;
};

/** How a language writes a program. */
export type Dialect = {
  readonly language: Language;
  /** A name for a variable. */
  readonly identifier: (name: string) => string;
  readonly imports: (packages: readonly PackageSchema[]) => string;
  readonly declaration: (declaration: Declaration) => string;
};
