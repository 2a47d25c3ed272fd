// SPDX-License-Identifier: Apache-2.0
import {useRouter} from '@tanstack/react-router';
import {type ComponentProps, type MouseEvent, type ReactNode, useCallback} from 'react';
import {BASE} from '../links.ts';

/** Goes to an address of `links`. */
export function useGo(): (href: string) => void {
  const router = useRouter();
  return useCallback(href => router.history.push(`${BASE}${href}`), [router]);
}

export type PageLinkProps = Omit<ComponentProps<'a'>, 'href'> & {/** From `links`. */ readonly to: string};

/** A link to a page of the console: a real address, so that it opens in a new tab and can be copied. */
export function PageLink({to, onClick, ...rest}: PageLinkProps): ReactNode {
  const go = useGo();
  const click = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (event.defaultPrevented || !isPlain || rest.target !== undefined) return;
    event.preventDefault();
    go(to);
  };
  return <a {...rest} href={`${BASE}${to}`} onClick={click} />;
}
