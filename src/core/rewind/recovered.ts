import type { Operation } from '../timeline/model.ts';
import type { Ended, Found } from './recover.ts';

function byId(operations: readonly Ended[]): readonly (readonly Ended[])[] {
  return [...new Set(operations.map(({ id }) => id))].map(id => operations.filter(operation => operation.id === id));
}

function files(count: number, word: string): string {
  return count === 1 ? `1 file was ${word}` : `${count} files were ${word}`;
}

function endedSentence(parts: readonly Ended[]): string {
  const [first] = parts as readonly [Ended];
  const of = (which: 'written' | 'left'): number => parts.reduce((sum, part) => sum + part[which], 0);
  if (parts.every(({ isCalledOff }) => isCalledOff)) return `A restore that was cut short before it had written anything (${first.id}) was called off.`;
  const left = of('left') === 0 ? '' : ` ${files(of('left'), 'left')}: there is something else now than was planned, or it could not be written.`;
  return `A restore that was cut short (${first.id}) was finished first: ${files(of('written'), 'written')}.${left}`;
}

/** What was done to end restores that a crash cut short, before anything else: a sentence for each. */
export function recoveredSentences({ operations, closed }: Found<Ended>): readonly string[] {
  return [...byId(operations).map(endedSentence), ...new Set(closed)];
}

/** What would be done first. */
export function waitingSentences({ operations, closed }: Found<Operation>): readonly string[] {
  const first = operations.length === 0 ? [] : ['A restore that was cut short is finished first. What that does is not in this plan.'];
  return [...first, ...new Set(closed)];
}

/** What was found in several looks, one after the other. */
export function together(...found: readonly Found<Ended>[]): Found<Ended> {
  return {
    operations: found.flatMap(({ operations }) => operations),
    closed: found.flatMap(({ closed }) => closed),
    looked: new Map(found.flatMap(({ looked }) => [...looked])),
  };
}
