// node test/agents/recordPayloads.ts <scenario> <name>     plays a scenario with the real program and keeps its events
// as payloads/claude-code/<name>.jsonl, so that tests can replay them without the program
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureClaudeCode } from './claudeCode.ts';
import { playScenario } from './playScenario.ts';
import { installRecorder } from './recordedEvents.ts';
import { claudeCodeScenarios } from './scenarios.ts';
import { makeScratch } from './scratch.ts';
import type { Scratch } from './scratch.ts';

const [wanted, name] = process.argv.slice(2);
const scenario = claudeCodeScenarios.find((candidate) => candidate.name === wanted);
if (scenario === undefined || name === undefined) {
  const names = claudeCodeScenarios.map((candidate) => `  ${candidate.name}`).join('\n');
  throw new Error(`Give one of these scenarios and a name for its recording:\n${names}`);
}
const program = await ensureClaudeCode();
if (!program.available) throw new Error(program.reason);
const place = makeScratch(scenario.before);
const events = installRecorder(place.home);
await playScenario(scenario, program.command, place);
const lines = events().map(({ event }) => `${scrub(JSON.stringify(event), place)}\n`);
writeFileSync(join(import.meta.dirname, 'payloads', 'claude-code', `${name}.jsonl`), lines.join(''));
console.log(`${lines.length} events of "${scenario.name}"`);

/** The names that replaying moves to real paths again; nothing of this machine may be kept. */
function scrub(line: string, { project, home }: Scratch): string {
  const folder = project.replace(/[^a-zA-Z0-9]/g, '-');
  return line
    .replaceAll(`/${folder}/`, '/-w-project/')
    .replaceAll(project, '/w/project')
    .replaceAll(home, '/h')
    .replace(/\/h\/tmp\/claude-\d+\//g, '/t/claude/');
}
