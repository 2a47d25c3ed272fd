// SPDX-License-Identifier: Apache-2.0
/**
 * The `passphrase` secrets manager, byte-compatible with the Pulumi CLI.
 *
 * Key: PBKDF2-HMAC-SHA256(passphrase, 8-byte salt, 1,000,000 rounds, 32 bytes). Values: AES-256-GCM, 12-byte nonce.
 * Ciphertext: `v1:<nonce base64>:<ciphertext and 16-byte tag base64>` of UTF-8 text.
 * Salt state: `v1:<salt base64>:v1:<nonce>:<ct>`; the last part encrypts the word `pulumi` and proves the passphrase.
 * Deriving costs about half a second, so a process does it once for a salt and passphrase, and never for a stack without a salt and a secret.
 */
import {createCipheriv, createDecipheriv, pbkdf2} from 'node:crypto';
import {promisify} from 'node:util';
import type {Random} from '../system.ts';

const ROUNDS = 1_000_000;
const KEY_BYTES = 32;
const SALT_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PROOF_WORD = 'pulumi';

const derive = promisify(pbkdf2);
/** Derived keys by salt and passphrase. */
const keys = new Map<string, Promise<Buffer>>();

function keyOf(passphrase: string, salt: Buffer): Promise<Buffer> {
  const name = `${salt.toString('base64')}:${passphrase}`;
  const key = keys.get(name) ?? derive(passphrase, salt, ROUNDS, KEY_BYTES, 'sha256');
  keys.set(name, key);
  return key;
}

/** The passphrase is wrong or missing, or a ciphertext is broken. The message is for the user. */
export class SecretsError extends Error {
  override readonly name = 'SecretsError';
}

export function encryptText(key: Buffer, text: string, random: Random): string {
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `v1:${nonce.toString('base64')}:${sealed.toString('base64')}`;
}

/** Throws SecretsError when the key is not the one the text was sealed with, or the text is none of ours. */
export function decryptText(key: Buffer, sealed: string): string {
  const [version, nonce, body] = sealed.split(':');
  const bytes = Buffer.from(body ?? '', 'base64');
  if (version !== 'v1' || nonce === undefined || bytes.length < TAG_BYTES)
    throw new SecretsError('a secret has an unknown format (expected v1:<nonce>:<ciphertext>)');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64'));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  try {
    return decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES)).toString('utf8') + decipher.final('utf8');
  } catch (cause) {
    throw new SecretsError('a secret cannot be decrypted with this passphrase', {cause});
  }
}

/** Where the passphrase comes from; undefined when neither variable is set. */
export type PassphraseSource = () => string | undefined;

const NO_PASSPHRASE =
  'passphrase must be set with PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE environment variables';

const INCORRECT_PASSPHRASE =
  'incorrect passphrase: PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE does not hold the passphrase of this stack';

/**
 * One stack's secrets. `unlock` derives the key (idempotent; it makes a salt when the stack has none yet);
 * `encrypt` and `decrypt` work after it.
 */
export class SecretsManager {
  #state: string | undefined;
  #key: Buffer | undefined;
  #unlocking: Promise<void> | undefined;
  readonly #passphrase: PassphraseSource;
  readonly #random: Random;

  constructor(options: {state: string | undefined; passphrase: PassphraseSource; random: Random}) {
    this.#state = options.state;
    this.#passphrase = options.passphrase;
    this.#random = options.random;
  }

  /** The salt state (`encryptionsalt`, `secrets_providers.state.salt`); undefined until a salt exists. */
  get state(): string | undefined {
    return this.#state;
  }

  get isUnlocked(): boolean {
    return this.#key !== undefined;
  }

  /** False: a secret could not be stored. Nothing is derived by asking. */
  get hasPassphrase(): boolean {
    return this.#passphrase() !== undefined;
  }

  unlock(): Promise<void> {
    this.#unlocking ??= this.#unlock();
    return this.#unlocking;
  }

  async #unlock(): Promise<void> {
    const passphrase = this.#passphrase();
    if (passphrase === undefined) throw new SecretsError(NO_PASSPHRASE);
    if (this.#state === undefined) {
      const salt = this.#random.bytes(SALT_BYTES);
      const key = await keyOf(passphrase, salt);
      this.#state = `v1:${salt.toString('base64')}:${encryptText(key, PROOF_WORD, this.#random)}`;
      this.#key = key;
      return;
    }
    const [version, salt, ...proof] = this.#state.split(':');
    if (version !== 'v1' || salt === undefined || proof.length === 0)
      throw new SecretsError('the encryption salt of this stack has an unknown format');
    const key = await keyOf(passphrase, Buffer.from(salt, 'base64'));
    if (!provesKey(key, proof.join(':'))) throw new SecretsError(INCORRECT_PASSPHRASE);
    this.#key = key;
  }

  encrypt(text: string): string {
    return encryptText(this.#needKey(), text, this.#random);
  }

  decrypt(sealed: string): string {
    return decryptText(this.#needKey(), sealed);
  }

  #needKey(): Buffer {
    if (this.#key === undefined) throw new SecretsError('the secrets of this stack are locked');
    return this.#key;
  }
}

function provesKey(key: Buffer, proof: string): boolean {
  try {
    return decryptText(key, proof) === PROOF_WORD;
  } catch (error) {
    if (error instanceof SecretsError) return false;
    throw error;
  }
}
