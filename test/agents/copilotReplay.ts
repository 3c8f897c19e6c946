import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Scratch } from './scratch.ts';

/** An event as Copilot CLI hands it to a hook, and the name under which the hook asked for it. */
export interface CopilotEvent {
  readonly hook: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

type Input = Readonly<Record<string, string>>;

/** Reads one recording, with its paths moved to a real project and home. */
export function copilotEvents(name: string, place: Scratch): readonly CopilotEvent[] {
  return readFileSync(join(import.meta.dirname, 'payloads', 'copilot', `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line.replaceAll('/w/project', () => place.project).replaceAll('"/h/', () => `"${place.home}/`)) as CopilotEvent);
}

/** Hands recorded events on, one after the other; the tools of a message run when all of them have begun, before the first is told to have ended. */
export async function replayCopilot(events: readonly CopilotEvent[], place: Scratch, tell: (event: CopilotEvent) => Promise<unknown>): Promise<void> {
  const begun: CopilotEvent[] = [];
  for (const event of events) {
    if (/^postToolUse/i.test(event.hook)) for (const call of begun.splice(0)) applyTool(call, place.project);
    await tell(event);
    if (/^preToolUse$/i.test(event.hook)) begun.push(event);
  }
}

function applyTool({ payload }: CopilotEvent, project: string): void {
  const tool = String(payload['toolName'] ?? payload['tool_name']).toLowerCase();
  const input = (payload['toolArgs'] ?? payload['tool_input']) as Input;
  const { path = '', old_str: old = '', new_str: fresh = '', file_text: content = '', command = '' } = input;
  if (tool === 'create' || tool === 'write') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  if (tool === 'edit') writeFileSync(path, readFileSync(path, 'utf8').replace(old, () => fresh));
  if (tool === 'bash') {
    // Recorded commands stay inside the project by construction; anything else is a mistake in a new recording.
    if (/(^|[\s>])[/~]|\.\.|\$/.test(command)) throw new Error(`Not a command to replay: ${command}`);
    spawnSync('sh', ['-c', command.replaceAll(/\bsleep [\d.]+; /g, '')], { cwd: project, stdio: 'ignore' });
  }
}
