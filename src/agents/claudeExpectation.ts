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

/**
 * What the file held when the tool ran, where the program says so and it is not what was there when the call
 * began: the user saved in between. Undefined where it is the same, or can't be brought back byte for byte.
 */
export function foundBytes(response: unknown, hash: string | undefined, readBefore: () => Uint8Array | undefined): Uint8Array | undefined {
  const original = isShape(response) ? textAt(response, 'originalFile') : undefined;
  if (original === undefined || original.includes('\ufffd')) return undefined;
  const bytes = Buffer.from(original, 'utf8');
  // Nearly always it is the same to the byte, and then nothing has to be read.
  if (hash !== undefined && sha256(bytes) === hash) return undefined;
  const before = readBefore();
  if (before === undefined) return bytes;
  const text = readText(before);
  const body = normal(original);
  return text === undefined || text.body === body ? undefined : writeText({ ...text, body });
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
