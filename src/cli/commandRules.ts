import { agents } from '../agents/agents.ts';

export type OptionName = 'message' | 'all' | 'path' | 'hunk' | 'scope' | 'reach' | 'dry-run' | 'on-conflict' | 'read-only';

/** What a command takes: everything that can be said about a line of words without looking at anything else. */
export interface CommandRule {
  /** Besides `--store`, `--root` and `--json`. */
  readonly options: readonly OptionName[];
  /** How many words at least and at most, and what they are. */
  readonly words: readonly [number, number];
  readonly takes: string;
  /** The only values of some of its options. */
  readonly values?: Partial<Readonly<Record<OptionName, readonly string[]>>>;
  /** The only words that can stand at some places. */
  readonly wordValues?: readonly (readonly string[])[];
}

const conflict: readonly OptionName[] = ['dry-run', 'on-conflict'];
const reach = ['session', 'workspace'];
const agentNames = agents.map(({ name }) => name);
const anyNumber = Number.POSITIVE_INFINITY;

export const commandRules: ReadonlyMap<string, CommandRule> = new Map<string, CommandRule>([
  ['log', { options: ['all'], words: [0, 0], takes: 'no more words' }],
  ['show', { options: [], words: [1, 1], takes: 'one id' }],
  ['diff', { options: ['path'], words: [1, 2], takes: 'one id, or two' }],
  ['branches', { options: [], words: [0, 0], takes: 'no more words' }],
  ['rewind', { options: ['scope', 'reach', ...conflict], words: [1, 1], takes: 'one turn, call, step or checkpoint', values: { reach } }],
  ['rollback', { options: ['path', 'hunk', ...conflict], words: [1, 1], takes: 'one turn or call' }],
  ['undo', { options: conflict, words: [0, 1], takes: 'one operation at most' }],
  ['redo', { options: conflict, words: [0, 1], takes: 'one operation at most' }],
  ['fork', { options: ['reach', ...conflict], words: [1, 1], takes: 'one turn', values: { reach } }],
  ['switch', { options: conflict, words: [1, 1], takes: 'one branch' }],
  ['checkpoint', { options: ['message'], words: [0, 0], takes: 'its label after -m and no more words' }],
  ['pause', { options: ['all'], words: [0, 0], takes: 'no more words' }],
  ['resume', { options: ['all'], words: [0, 0], takes: 'no more words' }],
  ['hooks', { options: ['scope'], words: [2, 2], takes: `install, remove or status, and an agent: ${agentNames.join(', ')}`, values: { scope: ['user', 'project'] }, wordValues: [['install', 'remove', 'status'], agentNames] }],
  ['mcp', { options: ['read-only'], words: [0, 0], takes: 'no more words' }],
  // An agent must never notice its hook: what is wrong with it goes to the log.
  ['hook', { options: ['message', 'all', 'path', 'hunk', 'scope', 'reach', ...conflict], words: [0, anyNumber], takes: 'an agent and an event' }],
]);
