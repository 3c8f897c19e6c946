import type { TurnstoneError } from '../../src/core/base/errors.ts';
import { selectFor } from '../../src/core/rewind/request.ts';
import type { Select } from '../../src/core/rewind/restore.ts';
import { branchesOf } from '../../src/core/timeline/branches.ts';
import { paths, type Ground } from './ground.ts';
import { goingBackOf, goingBackOfAll, movesHeads, nothing, rollingBack, uncertain, undoing, type Expectation } from './model/expectation.ts';
import type { History, Operation } from './model/history.ts';
import { InForce, newestRedoable, newestUndoable, restoresInForce } from './model/inForce.ts';
import type { RestoreStep } from './steps.ts';

/** What is asked of the product, and what the naive model says that has to come of it. */
export interface Request {
  readonly select: Select;
  readonly refused: TurnstoneError['code'] | undefined;
  readonly expected: Expectation;
  /** Whose history it goes over; undefined for everybody's. */
  readonly session: string | undefined;
  /** Whether what is in force changes; undefined where that depends on what earlier restores have left. */
  readonly moves: boolean | undefined;
  readonly touchesFiles: boolean;
  /** The record at which the tree is to be as it was, and the one from which on nobody else may have done anything for that. */
  readonly place: { readonly tree: number; readonly from: number } | undefined;
  readonly branch: string | undefined;
  /** What is undone or redone. */
  readonly operation: Operation | undefined;
}

type Target = { readonly id: string; readonly seq: number; readonly session: string | undefined; readonly isPoint: boolean };

/** The newest is the likeliest to be chosen. */
function pick<T>(items: readonly T[], choice: number): T | undefined {
  return items.length === 0 ? undefined : items[items.length - 1 - (choice % items.length)];
}

function targetsOf({ turns, calls, points }: History): readonly Target[] {
  const begun = [...turns, ...calls].map(({ id, seq, session }) => ({ id, seq, session, isPoint: false }));
  return [...begun, ...points.map(({ id, seq, session }) => ({ id, seq, session, isPoint: true }))].sort((a, b) => a.seq - b.seq);
}

const plain = { refused: undefined, place: undefined, branch: undefined, operation: undefined, touchesFiles: true };

type Travelling = Extract<RestoreStep, { do: 'rewind' | 'fork' }>;

function travel(ground: Ground, step: Travelling): Request | undefined {
  const { history } = ground;
  const targets = step.do === 'fork' ? targetsOf(history).filter(({ id }) => history.turns.some(turn => turn.id === id)) : targetsOf(history);
  const target = pick(targets, step.target);
  if (target === undefined) return undefined;
  const scope = step.do === 'fork' ? 'code' : step.scope;
  const session = step.reach === 'workspace' ? undefined : target.session;
  const from = target.isPoint ? target.seq + 1 : target.seq;
  const disk = (path: string) => ground.disk(path);
  const touchesFiles = scope !== 'conversation';
  return {
    ...plain,
    select: selectFor({ kind: step.do, target: target.id, scope, reach: step.reach }),
    refused: step.reach === 'session' && target.session === undefined ? 'usage' : undefined,
    expected: !touchesFiles ? nothing : session === undefined ? goingBackOfAll(history, from, disk, target.id) : goingBackOf(history, session, from, disk),
    session,
    moves: movesHeads(history, scope === 'both' ? ['code', 'conversation'] : [scope], session, from),
    touchesFiles,
    place: touchesFiles ? { tree: target.seq, from } : undefined,
  };
}

/** Whether the way to where one is has left nothing. */
function wasDone(history: History, branch: string): boolean {
  const arrival = restoresInForce(history)[0];
  if (arrival?.intent.kind !== 'switch' || arrival.intent.target !== branch) return true;
  return arrival.intent.left.every(({ action }) => action === 'unchanged') && arrival.done?.paths.every(({ outcome }) => outcome === 'done') === true;
}

function goToBranch(ground: Ground, choice: number): Request | undefined {
  const { history } = ground;
  const listed = branchesOf(ground.observer.store.timeline);
  // The first one is checked out: going there is worth a try, and no more.
  const branch = choice % 8 === 0 ? listed[0] : listed[1 + (choice % Math.max(1, listed.length - 1))];
  if (branch === undefined) return undefined;
  const select = selectFor({ kind: 'switch', target: branch.id, scope: 'code' });
  // One is there already; what the way there has left may be tried again.
  if (branch.current) return { ...plain, select, expected: wasDone(history, branch.id) ? nothing : uncertain(history), session: undefined, moves: false, branch: branch.id };
  const disk = (path: string) => ground.disk(path);
  const { session } = branch.reach;
  return {
    ...plain,
    select,
    expected: session === undefined ? goingBackOfAll(history, branch.end, disk) : goingBackOf(history, session, branch.end, disk),
    session,
    moves: true,
    place: { tree: branch.end, from: branch.end },
    branch: branch.id,
  };
}

function rollBack(ground: Ground, step: Extract<RestoreStep, { do: 'rollback' }>): Request | undefined {
  const { history } = ground;
  const target = pick(targetsOf(history).filter(({ isPoint }) => !isPoint), step.target);
  if (target === undefined) return undefined;
  const path = step.path === undefined ? undefined : paths[step.path];
  const calls = history.calls.filter(({ id, turn }) => id === target.id || turn === target.id);
  const isMissing = path !== undefined && !calls.some(call => call.paths.has(path));
  return {
    ...plain,
    select: selectFor({ kind: 'rollback', target: target.id, path }),
    refused: isMissing ? 'notFound' : undefined,
    expected: rollingBack(history, new Set(calls.map(({ id }) => id)), path, named => ground.disk(named)),
    session: target.session,
    moves: undefined,
  };
}

/** Whether the newest restore was to take one back and has left something of it: that may be tried again. */
function hasLeft(newest: Operation | undefined, kind: 'undo' | 'redo', target: string): boolean {
  if (newest?.intent.kind !== kind || newest.intent.target !== target) return false;
  return newest.intent.left.some(({ action }) => action === 'unavailable') || newest.done?.paths.some(({ outcome }) => outcome !== 'done') === true;
}

function reverse(ground: Ground, step: Extract<RestoreStep, { do: 'undo' | 'redo' }>): Request | undefined {
  const { history } = ground;
  const kind = step.do;
  const named = step.which === undefined ? undefined : pick(history.operations, step.which);
  if (step.which !== undefined && named === undefined) return undefined;
  const inForce = restoresInForce(history);
  const undoOf = (operation: Operation): Operation | undefined => (operation.intent.kind === 'undo' ? operation : inForce.find(({ intent }) => intent.kind === 'undo' && intent.target === operation.id));
  const operation = kind === 'undo' ? (named ?? newestUndoable(history)) : named === undefined ? newestRedoable(history) : undoOf(named);
  // One that every session has gone back past is in force for nobody's work.
  const isInForce = operation !== undefined && inForce.includes(operation) && (['code', 'conversation'] as const).some(scope => new InForce(history, scope).isForWork(operation));
  // One of both scopes may have been gone back past in one of them: then only the other one is taken back.
  const isThere = operation !== undefined && new InForce(history, 'code').restores().includes(operation);
  const isTriedAgain = operation !== undefined && hasLeft(inForce[0], kind, operation.id);
  const touchesFiles = isThere || isTriedAgain;
  return {
    ...plain,
    select: selectFor({ kind, operation: named?.id }),
    refused: operation === undefined ? 'notFound' : undefined,
    expected: operation === undefined || !touchesFiles ? nothing : isTriedAgain ? uncertain(history) : undoing(history, operation, path => ground.disk(path)),
    // Whoever undoes knows whose work it was: the guard is that nothing has changed since.
    session: undefined,
    moves: isInForce,
    touchesFiles,
    operation,
  };
}

/** What a step asks for, where there is anything to ask for. */
export function requestOf(ground: Ground, step: RestoreStep): Request | undefined {
  switch (step.do) {
    case 'rewind':
    case 'fork':
      return travel(ground, step);
    case 'switch':
      return goToBranch(ground, step.branch);
    case 'rollback':
      return rollBack(ground, step);
    case 'undo':
    case 'redo':
      return reverse(ground, step);
  }
}
