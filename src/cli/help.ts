export const help = `turnstone [--store DIR] [--root DIR] [--json] <command>

Look
  log [--all]                       turns, newest first; --all: rewound ones too
  show <id>                         a turn, call or operation, with its changes
  diff <id> [<id2>] [--path P]      what it changed, or how two points differ

Go back (each with --dry-run and --on-conflict stop|skip|merge|overwrite)
  rewind <turn|call>                code of its session, to before it
  rollback <turn|call> [--path P]   what it did; later turns stay
  undo [operation]                  the last rewind or roll back
  redo [operation]                  the last undo

Record
  hooks install|remove|status claude-code [--scope user|project]
  hook <agent> [event]              one event on standard input

An id may be shortened as long as it is unique.
Exit: 0 done, 1 something is left, 2 usage, 3 conflict and nothing written, 4 not found, 5 store busy, damaged or read-only.
`;
