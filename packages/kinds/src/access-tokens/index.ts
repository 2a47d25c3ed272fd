// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {accessTokensKind} from './kind.ts';

export {type AccessTokens, createAccessTokens} from './access-tokens.ts';

export const accessTokensModule: KindModule = {kinds: [accessTokensKind], controllers: [], bootstraps: []};
