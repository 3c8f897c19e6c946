import { sha256 as digestInScript } from '@noble/hashes/sha2.js';
import { lazy } from './lazy.ts';

const crypto = lazy(() => process.getBuiltinModule('node:crypto'));

/** Up to this many bytes a digest in script is done before node:crypto is even loaded. */
const scriptLimit = 32 * 1024;

function digest(bytes: Uint8Array): Uint8Array {
  return bytes.length <= scriptLimit ? digestInScript(bytes) : crypto().createHash('sha256').update(bytes).digest();
}

/** All 64 hex digits of the SHA-256 of the bytes. */
export function sha256(bytes: Uint8Array): string {
  return Buffer.from(digest(bytes)).toString('hex');
}

/** The same for many contents, where loading node:crypto is worth it. */
export function manySha256(bytes: Uint8Array): string {
  return crypto().hash('sha256', bytes, 'hex');
}

/** The 32 bytes of the SHA-256 of a text. */
export function sha256OfText(text: string): Uint8Array {
  return digest(Buffer.from(text, 'utf8'));
}

/** The SHA-256 of something that is read piece by piece. */
export function sha256OfPieces(pieces: Iterable<Uint8Array>): string {
  const hash = crypto().createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

export function randomBytes(count: number): Uint8Array {
  return crypto().randomBytes(count);
}

let serial = 0;

/** A name that no other process and no earlier call on this machine has used; not a secret, and not random. */
export function uniqueName(): string {
  serial += 1;
  return `${process.pid.toString(36)}-${process.hrtime.bigint().toString(36)}-${serial}`;
}
