import type { Files } from '../base/files.ts';
import { Policy, type PolicyMatter } from '../timeline/policy.ts';
import type { KnownRoot } from '../timeline/rootRegistry.ts';
import { Pause } from './pause.ts';

/** Why nothing is to be recorded in a folder for those who ask by `matter`: the policy of the machine, or the user's pause. Undefined where all may go on. */
export function whyNotRecording(files: Files, storage: string, root: KnownRoot, matter: PolicyMatter): string | undefined {
  const policy = Policy.read(files);
  const forbidden = policy.whyNotIn(root.path) ?? policy.whyNot(matter);
  if (forbidden !== undefined) return forbidden;
  if (!new Pause(files, storage).isIn(root)) return undefined;
  return `Recording is paused in ${root.path}. The user can go on with the command "Turnstone: Resume Recording" or \`turnstone resume\`.`;
}
