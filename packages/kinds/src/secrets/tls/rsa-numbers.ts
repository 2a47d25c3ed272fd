// SPDX-License-Identifier: Apache-2.0
/**
 * Whether the numbers of an RSA key belong together, as Go checks it; nobody checks that the primes are prime.
 * Ref: Go 1.26 crypto/rsa/rsa.go precompute, precomputeLegacy; crypto/internal/fips140/rsa/rsa.go checkPrivateKey.
 */
export type RsaNumbers = {
  readonly n: bigint;
  readonly e: bigint;
  readonly d: bigint;
  /** Two or more. */
  readonly primes: readonly bigint[];
  readonly dp: bigint | undefined;
  readonly dq: bigint | undefined;
  readonly inverse: bigint | undefined;
};

const EXPONENT_MAX = 2n ** 31n - 1n;
/** Beyond these Go computes for as long as it takes; here such a key is no key. */
const BYTES_MAX = 2048;
const PRIMES_MAX = 16;
const LIMIT = 1n << BigInt(8 * BYTES_MAX);

export const isValidRsa = (numbers: RsaNumbers): boolean => {
  const {n, e, d, primes, dp, dq, inverse} = numbers;
  const sent = [n, d, ...primes, dp, dq, inverse];
  if (sent.some(number => number !== undefined && number <= 0n)) return false;
  if (primes.length > PRIMES_MAX || sent.some(number => number !== undefined && number >= LIMIT)) return false;
  const isPublic = n > 1n && n % 2n === 1n && e >= 2n && e % 2n === 1n && e <= EXPONENT_MAX;
  if (!isPublic || d >= n || primes.some(prime => prime <= 1n)) return false;
  return primes.length === 2 ? fitsTwo(numbers) : areCoprime(primes);
};

const fitsTwo = ({n, e, d, primes: [p = 0n, q = 0n], ...sent}: RsaNumbers): boolean => {
  if (p <= 2n || q <= 2n || p >= n || q >= n || (p * q) % n !== 0n) return false;
  const isWhole = sent.dp !== undefined && sent.dq !== undefined && sent.inverse !== undefined;
  if (!isWhole && p % 2n === 0n) return false;
  const dp = isWhole ? (sent.dp as bigint) : d % (p - 1n);
  const dq = isWhole ? (sent.dq as bigint) : d % (q - 1n);
  const inverts = isWhole ? isInverse(sent.inverse as bigint, q, p) : gcd(q, p) === 1n;
  return inverts && fitsExponent(dp, p - 1n, d, e) && fitsExponent(dq, q - 1n, d, e) && isSecret(n, d, p, q);
};

const isInverse = (inverse: bigint, q: bigint, p: bigint): boolean => inverse < p && (inverse * q) % p === 1n;

/** That of a prime is the rest of the private one, and takes back the public one. */
const fitsExponent = (exponent: bigint, modulus: bigint, d: bigint, e: bigint): boolean =>
  exponent < modulus && (exponent * e) % modulus === 1n && d % modulus === exponent;

const gcd = (first: bigint, second: bigint): bigint => {
  let [a, b] = [first, second];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
};

const bitsOf = (number: bigint): number => number.toString(2).length;

const CLOSE_BITS = 100;
/** Primes close to each other, and a small private exponent, give the key away. */
const isSecret = (n: bigint, d: bigint, p: bigint, q: bigint): boolean => {
  const half = Math.floor(bitsOf(n) / 2);
  return bitsOf(p > q ? p - q : q - p) > half - CLOSE_BITS && bitsOf(d) > half;
};

/** Each with the product of those before it. */
const areCoprime = ([first = 1n, ...others]: readonly bigint[]): boolean => {
  let product = first;
  for (const prime of others) {
    if (gcd(product, prime) !== 1n) return false;
    product *= prime;
  }
  return true;
};
