import { randomBytes, sha256OfText } from './digest.ts';

/** The kinds of things that have ids, by the letter that their ids begin with. */
export const idKinds = {
  session: 's',
  turn: 't',
  call: 'c',
  operation: 'o',
  root: 'r',
  store: 'j',
  branch: 'b',
  step: 'p',
  checkpoint: 'k',
} as const;

/** Names the newest turn of a session, for agents and versions that give their turns no ids. */
export const currentTurn = 'current';

export type IdKind = keyof typeof idKinds;

// No vowels and no look-alikes: an id can be read aloud and never spells a word.
const alphabet = '23456789bcdfghjkmnpqrstvwxyz';

function letters(bytes: Uint8Array): string {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  const base = BigInt(alphabet.length);
  let text = '';
  for (let index = 0; index < 16; index += 1) {
    text += alphabet[Number(value % base)];
    value /= base;
  }
  return text;
}

/** A fresh id: the kind's letter, `-`, and 16 letters (about 77 bits). */
export function randomId(kind: IdKind): string {
  return `${idKinds[kind]}-${letters(randomBytes(16))}`;
}

/**
 * The id of something that outside programs name too. The same names give the same id in every
 * process, so that a hook needs no look-up before it can append, and an event that arrives twice is
 * recognised. Agents' own ids are random, which makes these as unique as random ones.
 */
export function derivedId(kind: IdKind, ...names: readonly string[]): string {
  return `${idKinds[kind]}-${letters(sha256OfText(JSON.stringify([kind, ...names])).subarray(0, 16))}`;
}
