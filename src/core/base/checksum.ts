import { lazy } from './lazy.ts';

const table = new Int32Array(256);
for (let byte = 0; byte < 256; byte += 1) {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  table[byte] = value;
}

/**
 * CRC-32 as in zlib and zip (RFC 1952, section 8). Ours only because loading zlib takes longer than all
 * the checksums of a hook, and a hook is a process per event. `before` is the checksum of the bytes before these.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (let index = 0; index < bytes.length; index += 1) crc = (table[(crc ^ (bytes[index] as number)) & 0xff] as number) ^ (crc >>> 8);
  return (crc ^ -1) >>> 0;
}

/** The same for many bytes, where loading zlib is worth it: ten times as fast in a runtime that has it. */
export const fastCrc32 = lazy((): typeof crc32 => {
  const native: typeof crc32 | undefined = process.getBuiltinModule('node:zlib').crc32;
  return native ?? crc32;
});
