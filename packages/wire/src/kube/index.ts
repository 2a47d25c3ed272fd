export {kubeTypes} from '../gen/kube-types.ts';
export * from './codec/decode.ts';
export {encodeJson, encodeJsonBytes, encodeUntyped, prettyJson, quoteJson} from './codec/encode.ts';
export {compareUtf8} from './go/order.ts';
export {goQuote} from './go/quote.ts';
export * from './schema.ts';
