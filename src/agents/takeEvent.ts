import { isShape } from '../core/base/shape.ts';
import type { AgentEvent, Origin } from './agentEvent.ts';
import { agentNamed } from './agents.ts';

export type Taken =
  | { readonly kind: 'event'; readonly agent: string; readonly origin: Origin; readonly event: AgentEvent }
  /** It comes a second time by the agent's own hooks. */
  | { readonly kind: 'twice' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Reads one event as it came to a hook. Several hosts read one settings file, so the agent that the hook was installed for need not be the one
 * that runs it; where that one has hooks of its own (`hasHooks`), they tell the same, and this is dropped.
 */
export function takeEvent(name: string, event: string, text: string, environment: NodeJS.ProcessEnv, hasHooks: (agent: string) => boolean): Taken {
  const agent = agentNamed(name);
  if (agent === undefined) return { kind: 'unreadable', reason: `there is no agent ${name}` };
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    return { kind: 'unreadable', reason: 'it is not JSON' };
  }
  if (!isShape(payload)) return { kind: 'unreadable', reason: 'it is not an object' };
  const reading = agent.read(event, payload, environment);
  if (reading.kind === 'unreadable') return reading;
  if (reading.kind === 'event') return { ...reading, agent: name };
  const host = agentNamed(reading.agent);
  const owner = host?.readsHooksOf ?? reading.agent;
  if (owner !== name && hasHooks(owner)) return { kind: 'twice' };
  const real = host?.read(event, payload, environment);
  return real?.kind === 'event' ? { ...real, agent: reading.agent } : { kind: 'unreadable', reason: `it comes from ${reading.agent}, and says nothing that is known` };
}
