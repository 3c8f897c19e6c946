import { HookLog } from '../agents/hookLog.ts';
import { answerProbe } from '../agents/hookProbe.ts';
import { hasHooks } from '../agents/hooksLedger.ts';
import { recordEvent } from '../agents/recordEvent.ts';
import { takeEvent } from '../agents/takeEvent.ts';
import { systemClock } from '../core/base/clock.ts';
import { messageOf } from '../core/base/errors.ts';
import { nodeFiles, readStandardInput } from '../core/base/files.ts';
import type { History } from '../core/capture/history.ts';
import { Recorders } from '../core/capture/recorders.ts';
import { RootRegistry } from '../core/timeline/rootRegistry.ts';

/** Takes one event of an agent from standard input. Never throws and prints nothing: the agent must not notice. */
export async function runHook(storage: string, agent: string, event: string | undefined, loadHistory: () => Promise<History>): Promise<void> {
  const log = new HookLog(nodeFiles, storage);
  const say = (message: string): void => log.write({ at: systemClock.now(), agent, event: event ?? '', message });
  try {
    // Without a store nobody has consented to anything, and nothing is written anywhere.
    const recorders = new Recorders(nodeFiles, systemClock, new RootRegistry(nodeFiles, systemClock, storage), loadHistory);
    if (recorders.isIdle) return;
    const bytes = readStandardInput();
    const text = Buffer.from(bytes).toString('utf8');
    if (answerProbe(nodeFiles, storage, agent, event ?? '', text)) return;
    const taken = takeEvent(agent, event ?? '', text, process.env, name => hasHooks(nodeFiles, storage, name));
    if (taken.kind === 'twice') return;
    // What can't be read may be anything, and whose it is nobody knows.
    if (taken.kind === 'unreadable' && (recorders.isPausedAnywhere || !recorders.allows(agent))) return;
    if (taken.kind === 'unreadable') return say(`The event could not be read (${taken.reason}); its ${bytes.length} bytes are in ${log.keepPayload(bytes) ?? 'no file'}.`);
    for (const reason of await recordEvent(taken.agent, taken.origin, taken.event, recorders)) say(reason);
  } catch (error) {
    say(messageOf(error));
  }
}
