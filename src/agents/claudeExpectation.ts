import type { FoundContent } from '../core/capture/callFacts.ts';
import { isShape, listAt, textAt, type Shape } from '../core/base/shape.ts';
import { foundText, plainBody, readText, writeText } from './editedText.ts';

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

/** The names that the tools of different versions give to it. */
const originalNames = ['originalFile', 'original_file', 'originalFileContents'] as const;

/** What a tool says the file held when it ran. */
export function foundBy(response: unknown, hash: string | undefined, readBefore: () => Uint8Array | undefined): FoundContent {
  const original = isShape(response) && response['staged'] !== true ? originalNames.map(name => textAt(response, name)).find(text => text !== undefined) : undefined;
  return foundText(original, hash, readBefore);
}

function applyEdit(body: string, edit: Shape): string | undefined {
  const [old, fresh] = [textAt(edit, 'old_string'), textAt(edit, 'new_string')];
  if (old === undefined || fresh === undefined || old === '') return undefined;
  const [from, to] = [plainBody(old), plainBody(fresh)];
  if (!body.includes(from)) return undefined;
  return edit['replace_all'] === true ? body.replaceAll(from, () => to) : body.replace(from, () => to);
}
