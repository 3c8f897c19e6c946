import { plainBody, readText, writeText } from './editedText.ts';

/** One text of a file that another takes the place of. */
export interface StringEdit {
  readonly old: string;
  readonly fresh: string;
  /** Wherever it is; otherwise it has to be there once. */
  readonly everywhere?: boolean | undefined;
}

/** What edits leave in a file, one after the other; undefined where it can't be told for certain. */
export function afterEdits(before: Uint8Array | undefined, edits: readonly StringEdit[]): Uint8Array | undefined {
  const text = before === undefined ? undefined : readText(before);
  if (text === undefined || edits.length === 0) return undefined;
  let { body } = text;
  for (const { old, fresh, everywhere } of edits) {
    const parts = old === '' ? [] : body.split(plainBody(old));
    if (parts.length < 2 || (parts.length > 2 && everywhere !== true)) return undefined;
    body = parts.join(plainBody(fresh));
  }
  return writeText({ ...text, body });
}
