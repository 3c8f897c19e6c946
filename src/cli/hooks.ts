import { applyHookChange, type HookInstallation, type HookScope } from '../agents/hookFiles.ts';
import { testHooks } from '../agents/hookTest.ts';
import { HooksLedger } from '../agents/hooksLedger.ts';
import { installationFor, installations } from '../agents/installations.ts';
import { shimPath, writeShim, type Runtime } from '../agents/shim.ts';
import { TurnstoneError } from '../core/base/errors.ts';
import { nodeFiles } from '../core/base/files.ts';
import { waitingMissed } from '../core/capture/missed.ts';
import { Policy } from '../core/timeline/policy.ts';
import type { KnownRoot } from '../core/timeline/rootRegistry.ts';
import { folderOf, openStore, rootsOf } from './context.ts';
import type { Options } from './options.ts';
import { exitCodes, type Output } from './output.ts';
import { plainLine, plainLines } from './plainText.ts';

const platform = process.platform;

function scopeOf({ scope }: Options): HookScope {
  return scope === 'project' ? 'project' : 'user';
}

function refusal(reason: string): TurnstoneError {
  return new TurnstoneError('readOnly', reason);
}

async function install(options: Options, installation: HookInstallation, settings: string, folder: string, runtime: Runtime): Promise<Output> {
  const { agent, title, events, note, oneScope } = installation;
  const roots = rootsOf(options);
  const policy = Policy.read(nodeFiles);
  const forbidden = policy.whyNot('install') ?? policy.whyNotAgent(agent) ?? policy.whyNotIn(folder);
  if (forbidden !== undefined) throw refusal(`${forbidden} Nothing was changed.`);
  const change = installation.planInstall(nodeFiles, settings, shimPath(roots.storage, platform), platform);
  if (change.kind === 'refused') throw refusal(change.reason);
  const ledger = new HooksLedger(nodeFiles, roots.storage);
  const scope = scopeOf(options);
  const elsewhere = oneScope === true ? ledger.list().find(entry => entry.agent === agent && entry.scope !== scope) : undefined;
  if (elsewhere !== undefined) throw refusal(`Hooks for ${title} are in ${elsewhere.path} already, and would tell everything twice. Nothing was changed; remove those first (--scope ${elsewhere.scope}).`);
  const root = await roots.add(folder);
  writeShim(nodeFiles, roots.storage, runtime, platform);
  if (change.kind === 'change') {
    if (!applyHookChange(nodeFiles, change)) throw refusal(`${change.path} was changed meanwhile. It was left as it is; try again.`);
    for (const { path, before } of change.files) ledger.add({ agent, scope, path, created: before === undefined });
  }
  const what = change.kind === 'change' ? `${events.length} hooks were added to ${change.path}; nothing else in it was changed.` : `The hooks are in ${change.path} already.`;
  const lines = [what, ...(note === undefined ? [] : [note]), `Recording ${root.path}.`];
  return { json: { agent, settings: change.path, changed: change.kind === 'change', root: root.path }, text: plainLines(lines), exitCode: exitCodes.done };
}

function remove(options: Options, { agent, planRemove }: HookInstallation, settings: string): Output {
  const ledger = new HooksLedger(nodeFiles, rootsOf(options).storage);
  const made = new Set(ledger.list().filter(entry => entry.agent === agent && entry.created).map(({ path }) => path));
  const change = planRemove(nodeFiles, settings, path => made.has(path));
  if (change.kind === 'refused') throw refusal(change.reason);
  if (change.kind === 'change' && !applyHookChange(nodeFiles, change)) throw refusal(`${change.path} was changed meanwhile. It was left as it is; try again.`);
  for (const path of [change.path, ...(change.kind === 'change' ? change.files.map(file => file.path) : [])]) ledger.remove(agent, path);
  const text = change.kind === 'change' ? `The hooks were removed from ${change.path}; nothing else in it was changed.` : `There are no hooks of Turnstone in ${change.path}.`;
  return { json: { agent, settings: change.path, changed: change.kind === 'change' }, text: plainLine(text), exitCode: exitCodes.done };
}

/** Why the root is not recorded although it is known, or not all that was recorded is there, as far as its store tells; empty where all is well. */
function problemsOf(options: Options, root: KnownRoot): readonly string[] {
  const store = openStore(options, root);
  const missed = waitingMissed(nodeFiles, store.directory, root.key).map(({ missed: { tool, reason } }) => `Not recorded: ${tool ?? 'an event'}. ${reason}`);
  return [store.damage, store.missingContents, ...new Set(missed)].filter(problem => problem !== undefined);
}

async function status(options: Options, installation: HookInstallation, settings: string, folder: string): Promise<Output> {
  const { agent } = installation;
  const roots = rootsOf(options);
  const events = installation.installedEvents(nodeFiles, settings);
  const missing = installation.events.filter(event => !events.includes(event));
  const shim = shimPath(roots.storage, platform);
  const root = roots.at(folder);
  const problems = root === undefined ? [] : problemsOf(options, root);
  const arrival = await testHooks({ files: nodeFiles, storage: roots.storage, directory: nodeFiles.stat(folder)?.kind === 'directory' ? folder : process.cwd(), environment: process.env, platform }, installation, settings, roots.list().length === 0);
  const reason = arrival.arrives ? null : arrival.reason;
  const json = { agent, settings, installed: missing.length === 0, events, missing, shim: nodeFiles.stat(shim) !== undefined, arrives: arrival.arrives, reason, root: root?.path ?? null, problems };
  const lines = [
    missing.length === 0 ? `All ${events.length} hooks are in ${settings}.` : events.length === 0 ? `No hooks of Turnstone are in ${settings}.` : `${missing.join(', ')} are missing in ${settings}.`,
    json.shim ? `The command that they run is ${shim}.` : `The command that they run is missing: ${shim}.`,
    ...(reason === null ? ['A test event told by them arrived.'] : events.length === 0 ? [] : [`Events don't arrive: ${reason}`]),
    root === undefined ? `${folder} is not recorded.` : problems.length === 0 ? `${root.path} is recorded.` : `${root.path} is known, but:`,
    ...problems,
  ];
  return { json, text: plainLines(lines), exitCode: problems.length === 0 && (events.length === 0 || arrival.arrives) ? exitCodes.done : exitCodes.unusable };
}

/** `hooks install|remove|status <agent>`. */
export async function runHooks(options: Options, directory: string, runtime: Runtime): Promise<Output> {
  const [action, agent = ''] = options.arguments;
  const folder = folderOf(options, directory);
  const installation = installationFor(agent);
  if (installation === undefined) throw new TurnstoneError('usage', `There is no agent ${agent}. Hooks are there for ${installations.flatMap(({ agent: name, also = [] }) => [name, ...also]).join(', ')}. Nothing was touched.`);
  const settings = installation.settingsPath(scopeOf(options), folder, process.env);
  switch (action) {
    case 'install':
      return install(options, installation, settings, folder, runtime);
    case 'remove':
      return remove(options, installation, settings);
    default:
      return status(options, installation, settings, folder);
  }
}
