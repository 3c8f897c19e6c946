import { sha256 } from '../core/base/digest.ts';
import { isShape, listAt, textAt, type Shape } from '../core/base/shape.ts';

/**
 * What an exact tool of Claude Code will leave in a file. It is the proof that a change is the call's when the
 * program does not report it (an interrupt, a refusal, a failure): whatever else is in the file then is the user's.
 * Undefined where it can't be told; that costs the proof, and nothing else.
 */
export function expectedBytes(tool: string, input: unknown, before: Uint8Array | undefined): Uint8Array | undefined {
  if (!isShape(input)) return undefined;
  if (tool === 'Write') {
    const content = textAt(input, 'content');
    return content === undefined ? undefined : Buffer.from(content, 'utf8');
  }
  const text = before === undefined ? undefined : readText(before);
  if (text === undefined) return undefined;
  const edits = tool === 'Edit' ? [input] : tool === 'MultiEdit' ? (listAt(input, 'edits') ?? []).filter(isShape) : [];
  if (edits.length === 0) return undefined;
  let body: string | undefined = text.body;
  for (const edit of edits) body = body === undefined ? undefined : applyEdit(body, edit);
  return body === undefined ? undefined : writeText({ ...text, body });
}

/** What a tool says the file held when it ran. */
export type Found =
  | { readonly kind: 'same' }
  /** The user saved in between: these are the bytes that he left. */
  | { readonly kind: 'other'; readonly bytes: Uint8Array }
  /** It was other content, but its bytes can't be told from the text. */
  | { readonly kind: 'unknown' };

const same: Found = { kind: 'same' };

/** The names that the tools of different versions give to it. */
const originalNames = ['originalFile', 'original_file', 'originalFileContents'] as const;

/**
 * Compares what the program says it found with what was there when the call began. `hash` is that content's,
 * undefined for a file that was not there; its bytes are read only if the hash alone doesn't settle it.
 */
export function foundBy(response: unknown, hash: string | undefined, readBefore: () => Uint8Array | undefined): Found {
  const original = isShape(response) && response['staged'] !== true ? originalNames.map(name => textAt(response, name)).find(text => text !== undefined) : undefined;
  // For a file that it makes, the program says that it was empty.
  if (original === undefined || (hash === undefined && original === '')) return same;
  const bytes = Buffer.from(original, 'utf8');
  if (hash !== undefined && sha256(bytes) === hash) return same;
  const before = readBefore();
  if (before === undefined) return { kind: 'other', bytes };
  const body = normal(original);
  if (readings(before).some(reading => normal(reading) === body)) return same;
  const text = original.includes('\ufffd') ? undefined : readText(before);
  return text === undefined ? { kind: 'unknown' } : { kind: 'other', bytes: writeText({ ...text, body }) };
}

/** Every way in which the program may have read the bytes as text. */
function readings(bytes: Uint8Array): readonly string[] {
  return [new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), new TextDecoder('utf-16le', { ignoreBOM: true }).decode(bytes), Buffer.from(bytes).toString('latin1')];
}

interface Text {
  readonly mark: boolean;
  readonly crlf: boolean;
  readonly body: string;
}

function normal(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}

/** UTF-8 text as the program sees it: without mark and with line feeds; undefined for anything that would not come back the same. */
function readText(bytes: Uint8Array): Text | undefined {
  let decoded: string;
  try {
    decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  const text = { mark: decoded.startsWith('\ufeff'), crlf: decoded.includes('\r\n'), body: normal(decoded) };
  return Buffer.from(writeText(text)).equals(bytes) ? text : undefined;
}

function writeText({ mark, crlf, body }: Text): Uint8Array {
  return Buffer.from(`${mark ? '\ufeff' : ''}${crlf ? body.replaceAll('\n', '\r\n') : body}`, 'utf8');
}

function applyEdit(body: string, edit: Shape): string | undefined {
  const [old, fresh] = [textAt(edit, 'old_string'), textAt(edit, 'new_string')];
  if (old === undefined || fresh === undefined || old === '') return undefined;
  const [from, to] = [normal(old), normal(fresh)];
  if (!body.includes(from)) return undefined;
  return edit['replace_all'] === true ? body.replaceAll(from, () => to) : body.replace(from, () => to);
}
