import { isSoundPath } from '../snapshot/paths.ts';

/**
 * Numbers, texts and hashes, packed: a table with every text once, one with every hash, then one stream of numbers, some
 * of which stand for a text or a hash. What is read back this way needs no schema: each thing that is read is what it has to be, or the whole is `Unsound`.
 */
export class Unsound extends Error {}

/** Two lengths in bytes: of the texts, and of the hashes. */
const headBytes = 8;
const hashBytes = 32;

/** Numbers are written in groups of seven bits, the lowest first; the top bit says that more follow. */
export class PackedWriter {
  private readonly texts = new Map<string, number>();
  private readonly hashes = new Map<string, number>();
  private bytes = new Uint8Array(4096);
  private length = 0;

  /** A whole number, 0 or more. */
  count(value: number): void {
    if (this.length + 9 > this.bytes.length) {
      const grown = new Uint8Array(this.bytes.length * 2);
      grown.set(this.bytes);
      this.bytes = grown;
    }
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.bytes[this.length++] = (rest % 128) + 128;
    this.bytes[this.length++] = rest;
  }

  integer(value: number): void {
    this.flag(value < 0);
    this.count(Math.abs(value));
  }

  flag(value: boolean): void {
    this.count(value ? 1 : 0);
  }

  text(value: string): void {
    this.count(indexIn(this.texts, value));
  }

  hash(value: string): void {
    this.count(indexIn(this.hashes, value));
  }

  optionalHash(value: string | undefined): void {
    this.flag(value !== undefined);
    if (value !== undefined) this.hash(value);
  }

  optionalText(value: string | undefined): void {
    this.flag(value !== undefined);
    if (value !== undefined) this.text(value);
  }

  oneOf<T extends string>(values: readonly T[], value: T): void {
    this.count(values.indexOf(value));
  }

  list<T>(items: readonly T[], write: (item: T) => void): void {
    this.count(items.length);
    for (const item of items) write(item);
  }

  finish(): Buffer {
    const texts = Buffer.from(JSON.stringify([...this.texts.keys()]), 'utf8');
    const hashes = Buffer.from([...this.hashes.keys()].join(''), 'hex');
    const head = Buffer.alloc(headBytes);
    head.writeUInt32LE(texts.length, 0);
    head.writeUInt32LE(hashes.length, 4);
    return Buffer.concat([head, texts, hashes, this.bytes.subarray(0, this.length)]);
  }
}

function indexIn(table: Map<string, number>, value: string): number {
  const known = table.get(value);
  if (known !== undefined) return known;
  table.set(value, table.size);
  return table.size - 1;
}

/** Reads what a `PackedWriter` has written; every method throws `Unsound` where that is not there. */
export class PackedReader {
  private readonly texts: readonly string[];
  /** All in one text: to cut one out of it costs less than to make one. */
  private readonly hashes: string;
  /** Which texts have been found to be sound paths. */
  private readonly paths: Uint8Array;
  private readonly bytes: Uint8Array;
  private at: number;

  constructor(bytes: Buffer) {
    if (bytes.length < headBytes) throw new Unsound('it is too short');
    const [textsLength, hashesLength] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
    this.at = headBytes + textsLength + hashesLength;
    if (this.at > bytes.length || hashesLength % hashBytes !== 0) throw new Unsound('its tables are cut short');
    this.bytes = bytes;
    this.texts = textsIn(bytes.toString('utf8', headBytes, headBytes + textsLength));
    this.hashes = bytes.toString('hex', headBytes + textsLength, this.at);
    this.paths = new Uint8Array(this.texts.length);
  }

  count(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 57; scale *= 128) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) break;
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
    }
    throw new Unsound('a number has no end');
  }

  integer(): number {
    const negative = this.flag();
    const value = this.count();
    return negative ? -value : value;
  }

  flag(): boolean {
    const value = this.count();
    if (value > 1) throw new Unsound('neither yes nor no');
    return value === 1;
  }

  text(): string {
    return this.textAt(this.count());
  }

  optionalText(): string | undefined {
    return this.flag() ? this.text() : undefined;
  }

  hash(): string {
    const from = this.count() * hashBytes * 2;
    if (from >= this.hashes.length) throw new Unsound('there is no such hash');
    return this.hashes.slice(from, from + hashBytes * 2);
  }

  optionalHash(): string | undefined {
    return this.flag() ? this.hash() : undefined;
  }

  /** A path that stays inside its root. */
  path(): string {
    const index = this.count();
    const text = this.textAt(index);
    // Most paths occur many times; each is looked at once.
    if (this.paths[index] === 0 && !isSoundPath(text)) throw new Unsound('a path is not sound');
    this.paths[index] = 1;
    return text;
  }

  oneOf<T extends string>(values: readonly T[]): T {
    const value = values[this.count()];
    if (value === undefined) throw new Unsound('none of the choices');
    return value;
  }

  list<T>(read: () => T): T[] {
    const items: T[] = [];
    for (let rest = this.length(); rest > 0; rest -= 1) items.push(read());
    return items;
  }

  map<T>(keyOf: (item: T) => string, read: () => T): Map<string, T> {
    const items = new Map<string, T>();
    for (let rest = this.length(); rest > 0; rest -= 1) {
      const item = read();
      items.set(keyOf(item), item);
    }
    return items;
  }

  private length(): number {
    const length = this.count();
    // Every item takes at least a byte, so a false length can't ask for more memory than there are bytes.
    if (length > this.bytes.length - this.at) throw new Unsound('a list is too long');
    return length;
  }

  mustEnd(): void {
    if (this.at !== this.bytes.length) throw new Unsound('it goes on');
  }

  private textAt(index: number): string {
    const text = this.texts[index];
    if (text === undefined) throw new Unsound('there is no such text');
    return text;
  }
}

function textsIn(json: string): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Unsound('its texts are not JSON');
  }
  if (!Array.isArray(value) || !value.every(text => typeof text === 'string')) throw new Unsound('its texts are not texts');
  return value;
}
