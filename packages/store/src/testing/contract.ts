// SPDX-License-Identifier: Apache-2.0
/** What a Store is, as tests. Each driver runs all of it; a new driver is done when it passes. */
import {describe} from 'vitest';
import {describeLifetime} from './contract-lifetime.ts';
import {describeModel} from './contract-model.ts';
import {describeReads} from './contract-reads.ts';
import {describeWatch} from './contract-watch.ts';
import {describeWrites} from './contract-writes.ts';
import {openerOf, type StoreUnderTest} from './under-test.ts';

export function runStoreContract(name: string, subject: StoreUnderTest): void {
  describe(`store contract: ${name}`, {timeout: 60_000}, () => {
    const open = openerOf(subject);
    describeWrites(open);
    describeReads(open);
    describeWatch(open);
    describeLifetime(subject);
    describeModel(subject);
  });
}
