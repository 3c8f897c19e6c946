import { lazy } from '../base/lazy.ts';
import { unframe, wholeLines } from './framing.ts';

/** What follows a batch's checksum. It stands nowhere else: JSON has spaces only in texts, and no letter after a text's last quote. */
const batchBegins = ' {"seq":';
const checksumLength = 8;

/** The head of a batch that stands at the first byte of some bytes has this part before this byte, and a later line has it after. */
const firstHeadLength = 80;
/** The part of a head that says that the batch began its write itself. */
const beganItself = lazy(() => withOneByteWrong(',"tick":', ',"records":['));
const wroteFrom = /"write":(\d+),"records":\[/g;

/**
 * Whether bytes that begin with a bad line, at an offset of the last segment, may be what a crash left of one write.
 * Only such a write was never acknowledged. Between two writes there was a sync, so a line whose write began later than at the bad
 * line proves damage: whether it is good, or bad and says so still. A power failure takes sectors, and what it leaves is as it
 * was written. A whole line that is not understood is another version's, and nothing for this one to cut.
 */
export function mayBeTorn(rest: Buffer, offset: number): boolean {
  for (const { start, bytes } of wholeLines(rest)) {
    // Where a line feed was lost, a good line hangs on to the bad one before it.
    const at = start + Math.max(0, bytes.lastIndexOf(batchBegins) - checksumLength);
    const line = unframe(rest.subarray(at, start + bytes.length));
    if (line.kind === 'bad' && !line.isWhole) continue;
    if (line.kind !== 'batch' || at === 0 || (line.batch.write ?? offset + at) > offset) return false;
  }
  return !saysItBeganLater(rest.toString('latin1'), offset);
}

/** Finds a number between two texts, also where one byte of it all is another: a line of which the checksum is wrong may be wrong just there. */
function withOneByteWrong(before: string, after: string): RegExp {
  const literal = (text: string): string => text.replaceAll('[', '\\[');
  const spoiled = (text: string): readonly string[] => [...text].map((_, index) => `${literal(text.slice(0, index))}[^]${literal(text.slice(index + 1))}`);
  const [first, last] = [literal(before), literal(after)];
  const ways = [`${first}\\d*[^]\\d*${last}`, ...spoiled(before).map(way => `${way}\\d+${last}`), ...spoiled(after).map(way => `${first}\\d+${way}`)];
  return new RegExp(ways.join('|'), 'g');
}

function saysItBeganLater(rest: string, offset: number): boolean {
  for (const { index } of rest.matchAll(beganItself())) if (index >= firstHeadLength) return true;
  for (const [, write] of rest.matchAll(wroteFrom)) if (Number(write) > offset) return true;
  return false;
}
