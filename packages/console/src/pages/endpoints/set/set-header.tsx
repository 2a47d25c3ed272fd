// SPDX-License-Identifier: Apache-2.0
import type {Endpoints} from '@palisade/client/browser';
import type {ReactNode} from 'react';
import {links} from '../../../links.ts';
import {PageLink} from '../../../routing/link.tsx';
import {Badge, PageHeader, ReadyRatio, Time} from '../../../ui/index.ts';
import {groupOf} from './members/group.ts';
import css from './set.module.css';
import {setStateOf} from './set-state.ts';

export const trailOf = (namespace: string): ReactNode => (
  <>
    <PageLink to={links.endpointsList()}>Endpoints</PageLink>
    {' / '}
    <PageLink to={links.endpointsList({namespace})}>{namespace}</PageLink>
  </>
);

/** Name, how many are ready, and the few facts that hold on every tab. */
export function SetHeader({object, isGone}: {readonly object: Endpoints; readonly isGone: boolean}): ReactNode {
  const {name = '', namespace = '', creationTimestamp, resourceVersion, labels = {}} = object.metadata ?? {};
  const {ready, total, word, tone} = setStateOf(object);
  const group = groupOf(object);
  return (
    <>
      <PageHeader
        title={name}
        trail={trailOf(namespace)}
        aside={
          <>
            <ReadyRatio ready={ready} total={total} />
            <Badge tone={isGone ? 'bad' : tone}>{isGone ? 'Deleted' : word}</Badge>
          </>
        }
      />
      <div className={css['facts']}>
        <span>
          Created <Time at={creationTimestamp} />
        </span>
        <span>
          Version <span className="num">{resourceVersion}</span>
        </span>
        {group !== undefined && (
          <span>
            Composed by the group{' '}
            <PageLink className={css['inText']} to={links.groups({namespace, q: group.name})}>
              {group.name}
            </PageLink>
          </span>
        )}
        {Object.keys(labels).length > 0 && (
          <span className={css['labels']}>
            {Object.entries(labels).map(([key, value]) => (
              <PageLink key={key} to={links.endpointsList({label: `${key}=${value}`})}>
                <Badge plain>
                  {key}={value}
                </Badge>
              </PageLink>
            ))}
          </span>
        )}
      </div>
    </>
  );
}
