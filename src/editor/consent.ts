import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { applyHookChange, type HookChange, type HookInstallation } from '../agents/hookFiles.ts';
import { testHooks } from '../agents/hookTest.ts';
import { HooksLedger } from '../agents/hooksLedger.ts';
import { installations } from '../agents/installations.ts';
import { shimPath, writeShim } from '../agents/shim.ts';
import { TurnstoneError } from '../core/base/errors.ts';
import { nodeFiles } from '../core/base/files.ts';
import { canonicalPath } from '../core/snapshot/paths.ts';
import { Policy } from '../core/timeline/policy.ts';
import { pickInstallations, wantedInstallations } from './agentPicker.ts';
import { hookHealth } from './hookHealth.ts';
import type { Log } from './log.ts';
import { shortPath, type Places } from './places.ts';
import type { Recordings } from './recordings.ts';
import type { TextDocuments } from './textDocuments.ts';

type Change = Extract<HookChange, { readonly kind: 'change' }>;

interface PlannedChange {
  readonly installation: HookInstallation;
  readonly change: Change;
}

/**
 * Installs and removes an agent's hooks.
 *
 * Invariants: before the user has agreed nothing is written anywhere; what was shown as the change is exactly
 * what is written, and if the file is another one by then nothing is.
 */
export class Consent {
  private readonly places: Places;
  private readonly recordings: Recordings;
  private readonly texts: TextDocuments;
  private readonly log: Log;

  constructor(places: Places, recordings: Recordings, texts: TextDocuments, log: Log) {
    this.places = places;
    this.recordings = recordings;
    this.texts = texts;
    this.log = log;
  }

  /** "Install Recording Hooks…": asks, shows the changes if wanted, and records the folders of this window from then on. */
  async install(): Promise<void> {
    const [first] = this.recordings.localFolders;
    if (first === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t('Open a folder first: Turnstone records the work of agents in a folder.'));
      return;
    }
    const policy = Policy.read(nodeFiles);
    const forbidden = policy.whyNot('install') ?? this.recordings.localFolders.map(({ uri }) => policy.whyNotIn(canonicalPath(nodeFiles, uri.fsPath))).find(why => why !== undefined);
    if (forbidden !== undefined) {
      void vscode.window.showErrorMessage(forbidden);
      return;
    }
    const chosen = await pickInstallations(this.places, first.uri.fsPath, this.recordings.folders.length < this.recordings.localFolders.length);
    if (chosen === undefined) return;
    const plans = chosen.map(installation => ({ installation, change: this.planOf(installation, policy) }));
    for (const { change } of plans) if (change.kind === 'refused') void vscode.window.showErrorMessage(change.reason);
    const possible = plans.filter(({ change }) => change.kind !== 'refused');
    if (possible.length === 0) return;
    const changes = possible.flatMap(({ installation, change }) => (change.kind === 'change' ? [{ installation, change }] : []));
    const titles = possible.map(({ installation }) => installation.title).join(', ');
    if (changes.length === 0 ? await this.askForFolders(titles, possible.map(({ change }) => change.path)) : await this.askForChanges(titles, changes)) await this.carryOut(changes);
  }

  private planOf(installation: HookInstallation, policy: Policy): HookChange {
    const path = userSettings(installation);
    const reason = policy.whyNotAgent(installation.agent);
    return reason === undefined ? installation.planInstall(nodeFiles, path, shimPath(this.places.storage, this.places.platform), this.places.platform) : { kind: 'refused', path, reason };
  }

  private detail(): string {
    const folders = this.recordings.localFolders.map(({ uri }) => shortPath(uri.fsPath)).join(', ');
    const lines = [
      vscode.l10n.t('Recorded: {0}, whichever terminal the agent runs in.', folders),
      vscode.l10n.t('Disabling the extension does not stop the hooks; "Remove Recording Hooks…" does.'),
    ];
    if (vscode.env.remoteName === 'dev-container' || vscode.env.remoteName === 'codespaces') lines.push(vscode.l10n.t('In a container the history may not survive a rebuild.'));
    return lines.join('\n');
  }

  private async askForChanges(titles: string, changes: readonly PlannedChange[]): Promise<boolean> {
    const [show, install] = [vscode.l10n.t('Show Changes'), vscode.l10n.t('Install')];
    const question = vscode.l10n.t('Record {0} with Turnstone?', titles);
    const promises = changes.map(({ installation, change }) => vscode.l10n.t('Adds {0} hooks to {1} and changes nothing else there.', installation.events.length, shortPath(change.path)));
    const promise = `${promises.join('\n')} ${vscode.l10n.t('Prompts and file contents stay on this machine.')}`;
    const answer = await vscode.window.showInformationMessage(question, { modal: true, detail: `${promise}\n\n${this.detail()}` }, show, install);
    if (answer !== show) return answer === install;
    for (const { change } of changes) await this.showChange(change);
    return (await vscode.window.showInformationMessage(`${question} ${promise.replaceAll('\n', ' ')}`, install, vscode.l10n.t('Cancel'))) === install;
  }

  private async askForFolders(titles: string, paths: readonly string[]): Promise<boolean> {
    const record = vscode.l10n.t('Record This Folder');
    const known = this.recordings.folders.length === this.recordings.localFolders.length;
    if (known) return true;
    const detail = vscode.l10n.t('The hooks are in {0} already. Prompts and file contents stay on this machine.', paths.map(shortPath).join(', '));
    const question = vscode.l10n.t('Record {0} with Turnstone?', titles);
    // The one button that writes is not the focused one.
    const check = vscode.l10n.t('Check Hooks');
    const answer = await vscode.window.showInformationMessage(question, { modal: true, detail: `${detail}\n\n${this.detail()}` }, check, record);
    if (answer === check) await this.check();
    return answer === record;
  }

  private async showChange({ files }: Change): Promise<void> {
    for (const { path, before, after } of files) {
      const left = this.texts.offer(path, before ?? '');
      const right = this.texts.offer(path, after ?? '');
      await vscode.commands.executeCommand('vscode.diff', left, right, vscode.l10n.t('{0} (now ↔ with Turnstone)', shortPath(path)), { preview: true });
    }
  }

  // The command has to be there before anything names it. The folders come last: when the settings file is not what
  // was shown any more, nothing is recorded either.
  private async carryOut(changes: readonly PlannedChange[]): Promise<void> {
    writeShim(nodeFiles, this.places.storage, this.places.runtime, this.places.platform);
    const ledger = new HooksLedger(nodeFiles, this.places.storage);
    for (const { installation, change } of changes) {
      if (!applyHookChange(nodeFiles, change)) throw new TurnstoneError('readOnly', vscode.l10n.t('{0} was changed meanwhile. It was left as it is; try again.', shortPath(change.path)));
      for (const { path, before } of change.files) ledger.add({ agent: installation.agent, scope: 'user', path, created: before === undefined });
      this.log.info(`Hooks were added to ${change.path}.`);
    }
    for (const { uri } of this.recordings.localFolders) await this.recordings.roots.add(uri.fsPath);
    this.recordings.refresh();
    for (const { installation } of changes) if (installation.note !== undefined) void vscode.window.showInformationMessage(installation.note);
  }

  /** "Remove Recording Hooks…": from every file that Turnstone put them into. */
  async remove(): Promise<void> {
    const ledger = new HooksLedger(nodeFiles, this.places.storage);
    const entries = ledger.list();
    const isMadeByUs = (path: string): boolean => entries.find(entry => entry.path === path)?.created === true;
    const places = installations.flatMap(installation => {
      const own = entries.filter(({ agent }) => agent === installation.agent).map(({ path }) => settingsOf(installation, path));
      return [...new Set([userSettings(installation), ...own])].map(path => ({ installation, path }));
    });
    const changes = places.map(({ installation, path }) => installation.planRemove(nodeFiles, path, isMadeByUs));
    const found = changes.filter((change): change is Change => change.kind === 'change');
    for (const change of changes) if (change.kind === 'refused') void vscode.window.showErrorMessage(change.reason);
    if (found.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There are no hooks of Turnstone to remove.'));
      return;
    }
    const detail = vscode.l10n.t('Takes Turnstone\'s hooks out of {0} and changes nothing else there. What was recorded stays.', found.map(({ path }) => shortPath(path)).join(', '));
    const [show, remove] = [vscode.l10n.t('Show Changes'), vscode.l10n.t('Remove')];
    const titles = places.filter((_, index) => changes[index]?.kind === 'change').map(({ installation }) => installation.title);
    const question = vscode.l10n.t('Stop recording {0}?', [...new Set(titles)].join(', '));
    let answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, show, remove);
    if (answer === show) {
      for (const change of found) await this.showChange(change);
      answer = await vscode.window.showWarningMessage(`${question} ${detail}`, remove, vscode.l10n.t('Cancel'));
    }
    if (answer !== remove) return;
    for (const change of found) {
      if (!applyHookChange(nodeFiles, change)) throw new TurnstoneError('readOnly', vscode.l10n.t('{0} was changed meanwhile. It was left as it is; try again.', shortPath(change.path)));
      for (const entry of entries) if (change.files.some(({ path }) => path === entry.path)) ledger.remove(entry.agent, entry.path);
      this.log.info(`Hooks were removed from ${change.path}.`);
    }
    this.recordings.refresh();
  }

  /** "Check Hooks": says what is installed, and where it isn't, why. */
  async check(): Promise<void> {
    const [first] = this.recordings.localFolders;
    if (first === undefined) return;
    const wanted = wantedInstallations(this.places);
    const healths = wanted.map(installation => ({ installation, health: hookHealth(this.places, installation, first.uri.fsPath) }));
    const unknown = this.recordings.localFolders.filter(folder => this.recordings.roots.at(folder.uri.fsPath) === undefined);
    const reasons = [...healths.flatMap(({ health }) => (health.kind === 'installed' ? [] : [health.reason])), ...(unknown.length === 0 ? [] : [vscode.l10n.t('{0} is not recorded.', unknown.map(({ name }) => name).join(', '))])];
    if (reasons.length > 0) {
      const install = vscode.l10n.t('Install Recording Hooks…');
      if ((await vscode.window.showWarningMessage(reasons.join(' '), install)) === install) await this.install();
      return;
    }
    const test = { files: nodeFiles, storage: this.places.storage, directory: first.uri.fsPath, environment: process.env, platform: this.places.platform };
    const arrivals = await Promise.all(healths.map(({ installation, health }) => testHooks(test, installation, health.settings, false)));
    const problem = arrivals.find(arrival => !arrival.arrives)?.reason;
    const paths = healths.map(({ health }) => shortPath(health.settings)).join(', ');
    if (problem !== undefined) {
      void vscode.window.showErrorMessage(vscode.l10n.t('The hooks are in {0}, but what they tell does not arrive: {1}', paths, problem));
      return;
    }
    const count = wanted.reduce((sum, { events }) => sum + events.length, 0);
    void vscode.window.showInformationMessage(vscode.l10n.t('All {0} hooks are in {1}, and what they tell arrives. {2} is recorded from the agent\'s next prompt.', count, paths, wanted.map(({ title }) => title).join(', ')));
  }
}

/** What an installation takes for its settings where one of its files is: some have a file for each event in a folder. */
function settingsOf(installation: HookInstallation, path: string): string {
  return installation.installedEvents(nodeFiles, path).length > 0 ? path : dirname(path);
}

function userSettings(installation: HookInstallation): string {
  return installation.settingsPath('user', '', process.env);
}
