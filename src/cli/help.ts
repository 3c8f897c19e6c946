export const help = `turnstone [--store DIR] [--root DIR] [--json] <command>

Look
  log [--all]                       turns, newest first; --all: rewound ones too
  show <id>                         a turn, call, step, checkpoint, branch or operation
  diff <id> [<id2>] [--path P]      what a turn or call changed, or what has changed since a step, checkpoint
                                    or branch; with two ids how these places differ
  branches                          the line of work that is checked out, and those that were left

Go back (each with --dry-run and --on-conflict stop|skip|merge|overwrite)
  rewind <turn|call|step|checkpoint> [--reach session|workspace]
                                    to before a turn or call, or at a step or checkpoint
  rollback <turn|call> [--path P]   what it did; later turns stay
  undo [operation]                  the last restore: rewind, roll back, fork, switch or redo
  redo [operation]                  the last undo
  fork <turn> [--reach session|workspace]
                                    go on from before it; what came after stays a branch
  switch <branch>                   to where that branch was left

Record
  checkpoint [-m LABEL]             a point to come back to: all recorded files as they are then
  pause [--all] · resume [--all]    hooks and tools record nothing meanwhile, here or anywhere; the turns say so
  hooks install|remove|status <agent> [--scope user|project]
  hook <agent> [event]              one event on standard input
  mcp [--read-only]                 file tools for any MCP client, on standard input and output: their calls
                                    are recorded; --read-only: only those that look

--json prints one document, or {"error": {code, message}}; log, show, diff and branches of a damaged history print both in one.
An id may be shortened as long as it is unique. A value that begins with a dash: --path=-name; a word that does: after --.
Exit: 0 done, 1 something is left, 2 usage, 3 conflict and nothing written, 4 not found, 5 store busy, damaged or read-only.
`;
