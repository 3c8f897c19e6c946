import { deepEqual, equal, ok } from 'node:assert/strict';
import { claudeCodeRecordings } from './recordings.ts';
import { readPayloads, replayPayloads } from './replay.ts';
import { hashOf, makeScratch, treeOf } from './scratch.ts';
import type { Files, Tree } from './scratch.ts';

function treeOfFiles(files: Files): Tree {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [path, hashOf(content)]));
}

describe('replay of recorded Claude Code sessions', () => {
  for (const recording of claudeCodeRecordings) {
    it(`leaves the files of ${recording.file}`, async () => {
      const place = makeScratch(recording.before);
      const indexes: number[] = [];
      await replayPayloads(recording.file, place, (_event, index) => void indexes.push(index), { effects: true });
      deepEqual(treeOf(place.project), treeOfFiles(recording.after));
      deepEqual(indexes, [...readPayloads(recording.file, place).keys()]);
    });
  }

  it('moves every path into the scratch project and home', () => {
    const place = makeScratch();
    for (const event of claudeCodeRecordings.flatMap(({ file }) => readPayloads(file, place))) {
      equal(event.cwd, place.project);
      ok(String(event['transcript_path']).startsWith(`${place.home}/.claude/projects/`));
      ok(!/[" ]\/[wht]\//.test(JSON.stringify(event)));
    }
  });

  it('keeps the disk unchanged until just before the Post event', async () => {
    const place = makeScratch();
    const seen: string[] = [];
    await replayPayloads(
      'claude-code/all-tools.jsonl',
      place,
      (event) => {
        if (event.tool_use_id === 'toolu_0002') seen.push(`${event.hook_event_name} ${'new.txt' in treeOf(place.project)}`);
      },
      { effects: true },
    );
    deepEqual(seen, ['PreToolUse false', 'PostToolUse true']);
  });

  it('touches nothing without effects', async () => {
    const place = makeScratch();
    const before = treeOf(place.project);
    await replayPayloads('claude-code/all-tools.jsonl', place, () => {});
    deepEqual(treeOf(place.project), before);
  });
});
