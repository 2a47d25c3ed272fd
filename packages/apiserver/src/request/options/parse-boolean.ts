// SPDX-License-Identifier: Apache-2.0
/** Booleans of query strings. Ref: kubernetes v1.36 apimachinery/pkg/runtime/conversion.go Convert_Slice_string_To_bool. */

/** An absent parameter, `0` and `false` in any case are false; anything else, also an empty text, is true. */
export const isTrueParameter = (value: string | undefined): boolean =>
  value !== undefined && value !== '0' && value.toLowerCase() !== 'false';
