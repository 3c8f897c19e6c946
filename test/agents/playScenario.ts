import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { startClaude } from './claudeCode.ts';
import type { ClaudeResult } from './claudeCode.ts';
import type { Interruption, Scenario } from './scenario.ts';
import { startScriptedModel } from './scriptedModel.ts';
import type { LoggedRequest, ScriptedModel } from './scriptedModel.ts';
import type { Scratch } from './scratch.ts';

export interface PlayedScenario {
  readonly results: readonly ClaudeResult[];
  readonly requests: readonly LoggedRequest[];
}

/** Plays all prompts of a scenario in one session, whatever hooks the scratch home has. */
export async function playScenario(
  scenario: Scenario,
  command: string,
  place: Scratch,
  onTurn: { before?(index: number): void | Promise<void>; after?(index: number): void | Promise<void> } = {},
): Promise<PlayedScenario> {
  const model = await startScriptedModel(scenario.script, { variables: { PROJECT: place.project } });
  const results: ClaudeResult[] = [];
  try {
    for (const [index, { text, interruption }] of scenario.prompts.entries()) {
      await onTurn.before?.(index);
      const session = results[0]?.sessionId;
      const run = startClaude({
        ...place,
        command,
        prompt: text,
        modelUrl: model.url,
        ...(session === undefined ? {} : { resume: session }),
        ...(scenario.allowedTools === undefined ? {} : { allowedTools: scenario.allowedTools }),
      });
      if (interruption !== undefined) {
        // A program that ends early must fail the test at once and not leave it waiting.
        await Promise.race([untilDue(interruption, place, model), run.finished]);
        run.interrupt(interruption.signal);
      }
      results.push(await run.finished);
      await onTurn.after?.(index);
    }
  } finally {
    await model.stop();
  }
  return { results, requests: model.requests() };
}

async function untilDue({ once }: Interruption, place: Scratch, model: ScriptedModel): Promise<void> {
  if ('reached' in once) return model.untilReached(once.reached);
  await until(`${once.file} is there`, () => existsSync(join(place.project, once.file)), 30_000);
}
