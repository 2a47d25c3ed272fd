// SPDX-License-Identifier: Apache-2.0
/** Version of the product. */
export {PROGRAM_VERSION as VERSION} from '@palisade/store';
