import { Refused } from './toolResult.ts';

export interface TextEdit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean | undefined;
}

/** The text of a file, every character of it, the byte order mark too; refuses what would not be the same bytes again. */
export function decodeText(bytes: Uint8Array, path: string): string {
  const instead = 'Nothing was written. This tool edits UTF-8 text only; turnstone_write_file replaces a file as a whole.';
  if (bytes.includes(0)) throw new Refused('notText', `${path} is no text in UTF-8. ${instead}`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refused('notText', `${path} is no text in UTF-8. ${instead}`);
  }
}

/** The bytes of a text that a model gave; half a character is refused, because something else would be written for it. */
export function encodeText(text: string, name: string): Uint8Array {
  if (/\p{Surrogate}/u.test(text)) throw new Refused('input', `${name} holds half of a character (a lone surrogate), which no file can hold. Nothing was written.`);
  return Buffer.from(text, 'utf8');
}

/** A text with `\n` at its line ends, and where each of its characters is in the original. */
interface Plain {
  readonly text: string;
  original(position: number): number;
}

function plain(text: string): Plain {
  const ends: number[] = [];
  const replaced = text.replaceAll('\r\n', (_, offset: number) => {
    ends.push(offset - ends.length);
    return '\n';
  });
  return {
    text: replaced,
    original(position) {
      // The number of line ends before the position: they are in order.
      let [low, high] = [0, ends.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ends[middle] as number) < position) low = middle + 1;
        else high = middle;
      }
      return position + low;
    },
  };
}

function placesOf(text: string, searched: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(searched); at !== -1; at = text.indexOf(searched, at + searched.length)) places.push(at);
  return places;
}

/** Whether a text is found again where it overlaps itself: two places then that can't both be replaced. */
function isAlone(text: string, searched: string, place: number): boolean {
  return text.indexOf(searched, place + 1) === -1;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

function commonEnd(a: string, b: string, start: number): number {
  let length = 0;
  while (length < a.length - start && length < b.length - start && a[a.length - 1 - length] === b[b.length - 1 - length]) length += 1;
  return length;
}

/** The line end that is used where something is put in: that of the line, else of the one before. */
function lineEndAt(text: string, at: number): string {
  const next = text.indexOf('\n', at);
  const nearest = next === -1 ? text.lastIndexOf('\n') : next;
  return nearest > 0 && text[nearest - 1] === '\r' ? '\r\n' : '\n';
}

/** Replaces what differs and nothing else, so that line ends around it stay as they are, mixed or not. */
function replaceAll(text: string, { original }: Plain, places: readonly number[], old: string, fresh: string): string {
  const start = commonStart(old, fresh);
  const end = commonEnd(old, fresh, start);
  const middle = fresh.slice(start, fresh.length - end);
  const pieces: string[] = [];
  let done = 0;
  for (const place of places) {
    const from = original(place + start);
    pieces.push(text.slice(done, from), middle.includes('\n') ? middle.replaceAll('\n', lineEndAt(text, from)) : middle);
    done = original(place + old.length - end);
  }
  return pieces.join('') + text.slice(done);
}

function applyEdit(text: string, { old_text, new_text, replace_all }: TextEdit, where: string): string {
  const old = plain(old_text).text;
  const fresh = plain(new_text).text;
  if (old === fresh) throw new Refused('input', `${where}: old_text and new_text are the same. Nothing was written.`);
  const map = plain(text);
  const places = placesOf(map.text, old);
  const [first] = places;
  if (first === undefined) throw new Refused('textNotFound', `${where}: old_text was not found. Nothing was written. Read the file again and give the text exactly as it is there, with its indentation.`);
  if (replace_all !== true && !isAlone(map.text, old, first)) {
    throw new Refused('textNotUnique', `${where}: old_text was found ${Math.max(places.length, 2)} times. Nothing was written. Give more of the lines around it, so that it is found once, or set replace_all.`);
  }
  return replaceAll(text, map, places, old, fresh);
}

/** What edits make of a file: all of them or, where one can't be made, none. */
export function editBytes(bytes: Uint8Array, edits: readonly TextEdit[], path: string): Uint8Array {
  let text = decodeText(bytes, path);
  edits.forEach((edit, index) => {
    encodeText(edit.new_text, 'new_text');
    text = applyEdit(text, edit, edits.length === 1 ? path : `${path}, edit ${index + 1} of ${edits.length}`);
  });
  return Buffer.from(text, 'utf8');
}
