import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pluginText } from '../../src/agents/opencodePlugin.ts';
import type { Json } from './dialectTools.ts';
import type { Scratch } from './scratch.ts';
import { replaceText, runCommandLine, writeText } from './toolEffects.ts';

/** A hook of a plugin as OpenCode called it. */
export interface HookCall {
  readonly hook: string;
  readonly input: Json;
  readonly output?: Json;
}

/** An event as the plugin hands it to the shim. */
export interface ToldEvent {
  readonly event: string;
  readonly payload: Json;
}

export interface OpencodeHost {
  readonly shim: string;
  /** Calls hooks of the plugin, all at once, and waits for them; returns what the shim was told meanwhile. */
  call(...calls: readonly HookCall[]): Promise<readonly ToldEvent[]>;
}

type Hooks = Readonly<Record<string, (input: Json, output?: Json) => Promise<void>>>;

/** Loads the installed plugin as OpenCode does, with a shim that only writes down what it is told. `sessions` is what its server knows: parents by session. */
export async function hostPlugin(place: Scratch, sessions: Readonly<Record<string, string>> | 'unreachable' = {}): Promise<OpencodeHost> {
  const folder = join(dirname(place.home), 'plugin host');
  const [shim, told, plugin] = [join(folder, 'turnstone'), join(folder, 'told'), join(folder, 'plugin.mjs')];
  mkdirSync(folder, { recursive: true });
  writeFileSync(shim, `#!/bin/sh\n{ echo "$*"; cat; echo; } >> '${told}'\n`, { mode: 0o755 });
  writeFileSync(plugin, pluginText(shim));
  const { Turnstone } = (await import(pathToFileURL(plugin).href)) as { Turnstone: (host: unknown) => Promise<Hooks> };
  const get = async ({ path: { id } }: { path: { id: string } }) => {
    if (sessions === 'unreachable') throw new Error('the server is gone');
    return { data: { id, parentID: sessions[id] } };
  };
  const client = { session: { get } };
  const hooks = await Turnstone({ client, directory: place.project });
  return {
    shim,
    async call(...calls) {
      await Promise.all(calls.map(({ hook, input, output }) => hooks[hook]?.(input, output)));
      return takeTold(told);
    },
  };
}

function takeTold(file: string): readonly ToldEvent[] {
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  } catch {
    return [];
  }
  rmSync(file);
  return lines.flatMap((line, index) => (index % 2 === 0 ? [{ event: line.replace(/^hook opencode /, ''), payload: JSON.parse(lines[index + 1] ?? '') as Json }] : []));
}

/** The hooks that a recorded session called, with its paths moved to a real project. */
export function readHookCalls(name: string, place: Scratch): readonly HookCall[] {
  return readFileSync(join(import.meta.dirname, 'payloads', 'opencode', `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line.replaceAll('/w/project', place.project)) as HookCall);
}

/** Does what the recorded tools did; called before OpenCode tells that a call is done. */
export function applyHookCall({ hook, input, output }: HookCall, project: string): void {
  if (hook !== 'tool.execute.after') return;
  const { filePath, content, oldString, newString, command } = input['args'] as Readonly<Record<string, string>>;
  if (input['tool'] === 'write') writeText(filePath ?? '', content ?? '');
  if (input['tool'] === 'edit') replaceText(filePath ?? '', oldString ?? '', newString ?? '');
  // A command that was stopped has not come to what follows its pause.
  const isStopped = (output?.['metadata'] as Json | undefined)?.['exit'] === null;
  if (input['tool'] === 'bash') runCommandLine((isStopped ? command?.split('; sleep ')[0] : command) ?? '', project);
}
