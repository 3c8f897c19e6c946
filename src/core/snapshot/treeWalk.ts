import { sep } from 'node:path';
import { manySha256 } from '../base/digest.ts';
import { systemCode } from '../base/errors.ts';
import type { FileStat, Files } from '../base/files.ts';
import { isUnknown, type RulesUnknown } from './gitRepository.ts';
import type { FolderRules } from './ignoreRules.ts';
import { observeFile } from './observe.ts';
import { unsoundPath, type RelativePath } from './paths.ts';
import type { FolderChange, ScanOptions, TreeChange, TreeScan, Uncovered } from './scanTree.ts';
import { absent, sameState, type State } from './state.ts';
import type { TreeCache, TreeEntry } from './treeCache.ts';
import { isRacy, TreeKnowledge } from './treeKnowledge.ts';

/** Node puts this into a name in place of bytes that are no text. */
const replacement = '\ufffd';

const newlyCovered = 'it was not covered at the last look, so what it was then is not known';
const noKind = 'it is neither a file, a folder nor a link';

function unreadable(reason: string): string {
  return `it can't be read (${reason})`;
}

/** One look at a tree. */
export class TreeWalk {
  private readonly files: Files;
  private readonly root: string;
  private readonly options: ScanOptions;
  private readonly last: TreeCache | undefined;
  private readonly knowledge: TreeKnowledge;
  private readonly startedAt: number;
  private readonly entries = new Map<RelativePath, TreeEntry>();
  private readonly changes: TreeChange[] = [];
  private readonly folders = new Map<RelativePath, number>();
  private readonly folderChanges: FolderChange[] = [];
  private readonly uncovered: Uncovered[] = [];
  private isOver = false;
  private isFull = false;

  constructor(files: Files, root: string, options: ScanOptions) {
    this.files = files;
    this.root = root;
    this.options = options;
    this.last = options.cache;
    this.knowledge = new TreeKnowledge(options.cache);
    this.startedAt = options.now();
  }

  /** Nothing is looked at, and what the last look knew is as it was. */
  refused(reason: string): TreeScan {
    const cache = this.last ?? { scannedAt: this.startedAt, entries: new Map(), folders: new Map(), unknown: new Set(['']) };
    return { cache, changes: [], folders: [], uncovered: [{ path: '', reason }], isComplete: false, isFirst: this.last === undefined };
  }

  scan(): TreeScan {
    const stat = this.attempt('', () => this.files.stat(this.root));
    const isListed = stat?.kind === 'directory' && this.lookIn('', this.root, names => this.options.rules.begin(this.files, this.root, names), !this.knowledge.wasUnknown(''));
    if (isListed) this.enterFolder('', stat.mode, false);
    // A root that is away, as a drive can be, is not one whose files were all deleted.
    if (!isListed && this.knowledge.whyLeft('') === undefined) this.hide('', 'the folder is not there');
    this.settleMissing();
    this.settleMissingFolders();
    const cache = { scannedAt: this.startedAt, entries: this.entries, folders: this.folders, unknown: this.knowledge.unknownNow() };
    const isComplete = !this.isOver && this.knowledge.whyLeft('') === undefined;
    return { cache, changes: this.changes, folders: this.folderChanges, uncovered: this.uncovered, isComplete, isFirst: this.last === undefined };
  }

  private hide(path: RelativePath, reason: string): void {
    this.knowledge.leave(path, 'hidden');
    this.uncovered.push({ path, reason });
  }

  /** What the disk says of a path; undefined where it is gone, or says that it can't be read, which hides the path. */
  private attempt<Value>(path: RelativePath, ask: () => Value): Value | undefined {
    try {
      return ask();
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      if (code !== 'ENOENT') this.hide(path, unreadable(code));
      return undefined;
    }
  }

  /** `isKnown`: the last look saw this folder, or would have seen it. Returns whether it could be listed. */
  private lookIn(path: RelativePath, absolute: string, rulesFor: (names: readonly string[]) => FolderRules | RulesUnknown, isKnown: boolean): boolean {
    const names = this.attempt(path, () => this.files.readDirectory(absolute))?.toSorted();
    if (names === undefined) return false;
    const rules = rulesFor(names);
    if (isUnknown(rules)) {
      this.hide(path, rules.reason);
      return true;
    }
    if (this.knowledge.isNewlyCovered(path)) this.uncovered.push({ path, reason: newlyCovered });
    for (const name of names) {
      if (name !== '.git') this.lookAt(path === '' ? name : `${path}/${name}`, name, `${absolute}${sep}${name}`, rules, isKnown);
    }
    return true;
  }

  private lookAt(path: RelativePath, name: string, absolute: string, rules: FolderRules, isKnownAbove: boolean): void {
    this.isOver ||= this.options.now() - this.startedAt > this.options.budget;
    if (this.isOver) return this.knowledge.leave(path, 'waiting');
    const stat = this.attempt(path, () => this.files.stat(absolute));
    if (stat === undefined) {
      if (name.includes(replacement)) this.hide(path, 'its name is not valid UTF-8');
      return;
    }
    const isDirectory = stat.kind === 'directory';
    if (this.options.leavesOut(absolute)) return this.knowledge.leave(path, 'hidden');
    if (rules.ignores(name, isDirectory)) return this.knowledge.leave(path, 'ignored');
    const unsound = unsoundPath(name);
    if (unsound !== undefined) {
      // Neither a record nor the next look may name it as a path.
      this.uncovered.push({ path: '', reason: `${path}: ${unsound}` });
      return;
    }
    const isKnown = isKnownAbove && !this.knowledge.wasUnknown(path);
    if (isDirectory) {
      // One that can't be listed is there all the same.
      if (this.lookIn(path, absolute, names => rules.enter(name, names), isKnown) || this.knowledge.whyLeft(path) !== undefined) this.enterFolder(path, stat.mode, isKnown);
    } else this.enter(path, this.entryAt(path, absolute, stat), isKnown);
  }

  /** What is at a path, read only where the last look does not answer for it; undefined where nothing is to be remembered. */
  private entryAt(path: RelativePath, absolute: string, stat: FileStat): TreeEntry | undefined {
    const old = this.last?.entries.get(path);
    const same = old !== undefined && old.stamp === stat.stamp && !isRacy(stat.stamp, this.last?.scannedAt ?? 0) ? old : undefined;
    switch (stat.kind) {
      case 'link': {
        if (same?.state.kind === 'link') return same;
        const target = this.attempt(path, () => this.files.readLink(absolute));
        if (target?.includes(replacement) === true) this.hide(path, 'what it points to is not valid UTF-8');
        else if (target !== undefined) return { stamp: stat.stamp, state: { kind: 'link', target } };
        return undefined;
      }
      case 'file': {
        const isEnough = same !== undefined && same.state.kind !== 'link' && !this.mayFitNow(same.state);
        const entry = isEnough ? same : this.read(path, absolute, stat, old?.state);
        if (entry?.state.kind === 'oversize') this.uncovered.push({ path, reason: this.whyNotKept(entry.state.size) });
        return entry;
      }
      default:
        this.hide(path, noKind);
        return undefined;
    }
  }

  /** A content that was too much once is offered again, until one is refused. */
  private mayFitNow(state: State): boolean {
    return state.kind === 'oversize' && state.size <= this.options.maxFileSize && !this.isFull;
  }

  private whyNotKept(size: number): string {
    const { maxFileSize } = this.options;
    return size > maxFileSize ? `its content is not kept: ${size} bytes, and the limit for a file is ${maxFileSize}` : `its content is not kept: its ${size} bytes are over the limit of what is copied`;
  }

  private read(path: RelativePath, absolute: string, stat: FileStat, before: State | undefined): TreeEntry | undefined {
    const observed = this.attempt(path, () => observeFile(this.files, absolute, stat, this.options.maxFileSize, manySha256));
    if (observed === undefined) return undefined;
    const { state, bytes, stamp } = observed;
    switch (state.kind) {
      case 'content':
        if ((before?.kind === 'content' && before.hash === state.hash) || bytes === undefined || this.options.keep(state.hash, bytes)) return { stamp, state };
        this.isFull = true;
        return { stamp, state: { ...state, kind: 'oversize' } };
      case 'oversize':
      case 'link':
        return { stamp, state };
      case 'absent':
        return undefined;
      // It became something else while it was read: the next look will see what.
      case 'directory':
        this.knowledge.leave(path, 'waiting');
        return undefined;
      default:
        this.hide(path, state.kind === 'unreadable' ? unreadable(state.reason) : noKind);
        return undefined;
    }
  }

  private enter(path: RelativePath, entry: TreeEntry | undefined, isKnown: boolean): void {
    if (entry === undefined) return;
    this.entries.set(path, entry);
    if (this.last === undefined) return;
    const before = this.last.entries.get(path)?.state ?? (isKnown ? absent : undefined);
    if (before !== undefined && !sameState(before, entry.state)) this.changes.push({ path, before, after: entry.state });
    if (before === undefined && this.knowledge.isNewlyCovered(path)) this.uncovered.push({ path, reason: newlyCovered });
  }

  /** A file that is ignored from now on was covered until now: what became of it in the meantime is still told. */
  private lookOnceMore(path: RelativePath, { state: before }: TreeEntry): void {
    const absolute = this.absolute(path);
    const stat = this.attempt(path, () => this.files.stat(absolute));
    const after = stat === undefined ? absent : this.entryAt(path, absolute, stat)?.state;
    if (after !== undefined && !sameState(before, after)) this.changes.push({ path, before, after });
  }

  private modeOnceMore(path: RelativePath): number | undefined {
    const stat = this.attempt(path, () => this.files.stat(this.absolute(path)));
    // What can't be looked at is told, and has not changed as far as anybody knows.
    if (stat === undefined && this.knowledge.whyLeft(path) === 'hidden') return this.last?.folders.get(path);
    return stat?.kind === 'directory' ? stat.mode : undefined;
  }

  private absolute(path: RelativePath): string {
    return `${this.root}${sep}${path.replaceAll('/', sep)}`;
  }

  private enterFolder(path: RelativePath, mode: number, isKnown: boolean): void {
    this.folders.set(path, mode);
    const before = this.last?.folders.get(path);
    if (before === mode || (before === undefined && !isKnown) || this.last === undefined) return;
    this.folderChanges.push({ path, before, after: mode });
  }

  private settleMissingFolders(): void {
    for (const [path, mode] of this.last?.folders ?? []) {
      if (this.folders.has(path)) continue;
      const left = this.knowledge.whyLeft(path);
      const after = left === 'ignored' ? this.modeOnceMore(path) : undefined;
      if (left === undefined || (left === 'ignored' && after !== mode)) this.folderChanges.push({ path, before: mode, after });
      if (left === 'waiting') this.folders.set(path, mode);
    }
  }

  /** What the last look saw and this one did not: gone, no longer covered, or not looked at. */
  private settleMissing(): void {
    let kept = 0;
    for (const [path, entry] of this.last?.entries ?? []) {
      if (this.entries.has(path)) continue;
      const left = this.knowledge.whyLeft(path);
      if (left === undefined) this.changes.push({ path, before: entry.state, after: absent });
      if (left === 'ignored') this.lookOnceMore(path, entry);
      if (left !== 'waiting') continue;
      kept += 1;
      // When this look began says nothing of a file that it did not see.
      this.entries.set(path, isRacy(entry.stamp, this.last?.scannedAt ?? 0) ? { ...entry, stamp: '' } : entry);
    }
    if (!this.isOver) return;
    const reason = `the look took longer than ${this.options.budget} ms: ${this.knowledge.waiting} files and folders were not looked at, in which ${kept} files are known from before`;
    this.uncovered.push({ path: '', reason });
  }
}
