import { claudeCode, recordClaudeEvent } from '../agents/claudeCode.ts';
import { parseClaudePayload } from '../agents/claudePayload.ts';
import { HookLog } from '../agents/hookLog.ts';
import { systemClock } from '../core/base/clock.ts';
import { messageOf } from '../core/base/errors.ts';
import { nodeFiles, readStandardInput } from '../core/base/files.ts';
import type { History } from '../core/capture/history.ts';
import { Recorders } from '../core/capture/recorders.ts';
import { RootRegistry } from '../core/timeline/rootRegistry.ts';

/** Takes one event of an agent from standard input. Never throws and prints nothing: the agent must not notice. */
export async function runHook(storage: string, agent: string, eventName: string | undefined, loadHistory: () => Promise<History>): Promise<void> {
  const log = new HookLog(nodeFiles, storage);
  let event = eventName ?? '';
  const say = (message: string): void => log.write({ at: systemClock.now(), agent, event, message });
  try {
    // Without a store nobody has consented to anything, and nothing is written anywhere.
    const recorders = new Recorders(nodeFiles, systemClock, new RootRegistry(nodeFiles, systemClock, storage), loadHistory);
    if (recorders.isIdle) return;
    const bytes = readStandardInput();
    if (agent !== claudeCode) return say(`There is no agent ${agent}.`);
    const parsed = parseClaudePayload(Buffer.from(bytes).toString('utf8'));
    if ('reason' in parsed) return say(`The event could not be read (${parsed.reason}); its ${bytes.length} bytes are in ${log.keepPayload(bytes) ?? 'no file'}.`);
    event = eventName ?? parsed.payload.hook_event_name ?? '';
    const reasons = await recordClaudeEvent(event, parsed.payload, recorders);
    for (const reason of reasons) say(reason);
  } catch (error) {
    say(messageOf(error));
  }
}
