import { sha256 } from '../core/base/digest.ts';
import type { FoundContent } from '../core/capture/callFacts.ts';

/** A file's text as a tool that edits it sees it. */
export interface EditedText {
  readonly mark: boolean;
  readonly crlf: boolean;
  readonly body: string;
}

const same: FoundContent = { kind: 'same' };

/**
 * Compares the text that a tool says it found with what was there when the call began. `hash` is that content's, undefined for a file that was
 * not there; its bytes are read only if the hash alone doesn't settle it.
 */
export function foundText(original: string | undefined, hash: string | undefined, readBefore: () => Uint8Array | undefined): FoundContent {
  // For a file that it makes, a tool says that it was empty.
  if (original === undefined || (hash === undefined && original === '')) return same;
  const bytes = Buffer.from(original, 'utf8');
  if (hash !== undefined && sha256(bytes) === hash) return same;
  const before = readBefore();
  if (before === undefined) return { kind: 'other', bytes };
  const body = plainBody(original);
  if (readings(before).some(reading => plainBody(reading) === body)) return same;
  const text = original.includes('\ufffd') ? undefined : readText(before);
  return text === undefined ? { kind: 'unknown' } : { kind: 'other', bytes: writeText({ ...text, body }) };
}

/** Every way in which a tool may have read the bytes as text. */
function readings(bytes: Uint8Array): readonly string[] {
  return [new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), new TextDecoder('utf-16le', { ignoreBOM: true }).decode(bytes), Buffer.from(bytes).toString('latin1')];
}

/** Text without its mark and with line feeds. */
export function plainBody(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}

/** UTF-8 text with its mark and its line ends; undefined for what is none. */
export function strictText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** UTF-8 text in parts; undefined for anything that would not come back the same. */
export function readText(bytes: Uint8Array): EditedText | undefined {
  const decoded = strictText(bytes);
  if (decoded === undefined) return undefined;
  const text = { mark: decoded.startsWith('\ufeff'), crlf: decoded.includes('\r\n'), body: plainBody(decoded) };
  return Buffer.from(writeText(text)).equals(bytes) ? text : undefined;
}

export function writeText({ mark, crlf, body }: EditedText): Uint8Array {
  return Buffer.from(`${mark ? '\ufeff' : ''}${crlf ? body.replaceAll('\n', '\r\n') : body}`, 'utf8');
}
