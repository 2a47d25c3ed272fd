// SPDX-License-Identifier: Apache-2.0
/** The thread of the product. */
import {refusedAddress} from '../checks/address.ts';
import {runThread} from './run-thread.ts';

runThread(refusedAddress);
