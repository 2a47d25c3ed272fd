// SPDX-License-Identifier: Apache-2.0
/**
 * The kinds that the suites run for: Endpoints, and three that the product has never heard of: one in namespaces, the same
 * objects in another version, and one without namespaces. All are served by one server, in both modes.
 */
import type {CompatMode, KindDefinition} from '@palisade/apiserver';
import {kubeModule} from '@palisade/kinds';
import {afterAll, beforeAll, describe} from 'vitest';
import {startWire, type Wire, type WireOptions} from '../support.ts';
import {endpointGroupFixture} from './endpoint-group.fixture.ts';
import {endpointRegistrationsFixture} from './endpoint-registrations.fixture.ts';
import {endpointsFixture} from './endpoints.fixture.ts';
import {gadgetFixture} from './gadget.fixture.ts';
import type {KindFixture} from './kind-fixture.ts';
import {Objects} from './objects.ts';
import {widgetFixture} from './widget.fixture.ts';
import {widgetV2Fixture} from './widget-v2.fixture.ts';

export {type KindFixture, type ListFixture, METADATA_LISTS} from './kind-fixture.ts';
export {Objects} from './objects.ts';

export const FIXTURES: readonly KindFixture[] = [
  endpointsFixture,
  endpointGroupFixture,
  endpointRegistrationsFixture,
  widgetFixture,
  widgetV2Fixture,
  gadgetFixture,
];

/** What a server has to serve for the suites. */
export const servedKinds: readonly KindDefinition[] = [
  ...kubeModule.kinds,
  ...FIXTURES.flatMap(({definition}) => (definition.storedAs === undefined ? [] : [definition.storedAs.kind])),
  ...FIXTURES.map(({definition}) => definition).filter(kind => !kubeModule.kinds.includes(kind)),
];

export type SuiteOptions = {
  /** Which kinds the suite is about; default all. */
  readonly about?: (kind: KindFixture) => boolean;
  readonly modes?: readonly CompatMode[];
  readonly server?: (compat: CompatMode) => Omit<WireOptions, 'kinds' | 'compat'>;
};

/** Registers a suite for each kind in each mode, over one server per mode. */
export const forEachKind = (
  title: string,
  suite: (objects: Objects, compat: CompatMode) => void,
  {about = () => true, modes = ['spec', 'kubernetes'], server = () => ({})}: SuiteOptions = {},
): void => {
  describe.each(modes)(`${title}, --compat %s`, compat => {
    let wire: Wire;
    beforeAll(async () => {
      wire = await startWire({...server(compat), compat, kinds: servedKinds});
    });
    afterAll(() => wire[Symbol.asyncDispose]());
    for (const fixture of FIXTURES.filter(about)) {
      const {kind, version} = fixture.definition;
      describe(`${kind} ${version}`, () => suite(new Objects(fixture, () => wire), compat));
    }
  });
};

export const namespaced = ({definition}: KindFixture): boolean => definition.namespaced;
export const clusterScoped = ({definition}: KindFixture): boolean => !definition.namespaced;
