import { sha256OfText } from '../core/base/digest.ts';
import { harmlessTools } from './opencode.ts';

/**
 * The plugin that OpenCode loads: it hands every event on to the shim and waits for it, so that a tool runs only when what was there before
 * it is on record. It never throws, because OpenCode would not run the tool then.
 *
 * What it adds to OpenCode's own words: a sub-agent has a session of its own, so each event names the session that a user talks to
 * (`session`) and the sub-agent's (`delegate`); tool events have no message, so each names the prompt that it belongs to (`turn`); and a
 * call's id, which is the model's and may come again, is told apart from those of the same turn before (`call`).
 */
export function pluginText(shim: string): string {
  const body = `import { spawn, spawnSync } from "node:child_process";

const shim = ${JSON.stringify(shim)};
// Tools that change nothing need not wait.
const harmless = new Set(${JSON.stringify([...harmlessTools])});
// An event that hangs may hold OpenCode up for so long.
const limit = 30000;

export const Turnstone = async ({ client, directory }) => {
  const parents = new Map();
  const turns = new Map();
  const calls = new Map();
  const used = new Map();
  const aborted = new Set();
  const idle = new Set();
  let last = Promise.resolve();

  function payload(more) {
    return JSON.stringify({ directory, process: process.pid, ...more });
  }

  function start(event, text) {
    return new Promise((resolve) => {
      try {
        const child = spawn(shim, ["hook", "opencode", event], { stdio: ["pipe", "ignore", "ignore"] });
        const timer = setTimeout(() => { resolve(); child.kill(); }, limit);
        const done = () => { clearTimeout(timer); resolve(); };
        child.on("error", done);
        child.on("exit", done);
        child.stdin.on("error", () => {});
        child.stdin.end(text);
      } catch {
        resolve();
      }
    });
  }

  // One after the other, so that events are told in the order in which they happened.
  function tell(event, more) {
    const text = payload(more);
    last = last.then(() => start(event, text));
    return last;
  }

  // OpenCode may end right after a turn does, and would take the event with it.
  function tellNow(event, more) {
    spawnSync(shim, ["hook", "opencode", event], { input: payload(more), stdio: ["pipe", "ignore", "ignore"], timeout: limit });
  }

  async function parentOf(session) {
    if (!parents.has(session)) {
      const found = await client.session.get({ path: { id: session } }).catch(() => undefined);
      if (found?.data === undefined) return undefined;
      parents.set(session, found.data.parentID);
    }
    return parents.get(session);
  }

  async function placeOf(session) {
    let root = session;
    for (let parent = await parentOf(root); parent; parent = await parentOf(root)) root = parent;
    return { session: root, delegate: root === session ? undefined : session };
  }

  // A command's exit code, which is null where it was stopped; other tools have none.
  function hasFailed(exit) {
    return exit !== undefined && exit !== 0;
  }

  function quietly(work) {
    return async (input, output) => {
      try {
        await work(input, output);
      } catch {
        // OpenCode must not notice.
      }
    };
  }

  async function end(key, outcome, args) {
    const call = calls.get(key);
    if (call === undefined) return;
    calls.delete(key);
    await tell("after", { ...call, args: args ?? call.args, outcome });
    const [session] = key.split(" ");
    if (idle.has(session)) await endTurn(session);
  }

  // Where a user stops it, OpenCode is idle before the command that it stops has ended.
  async function endTurn(session) {
    const turn = turns.get(session);
    if ([...calls].some(([key, call]) => key.startsWith(session + " ") && call.turn === turn)) return idle.add(session);
    idle.delete(session);
    const ended = { ...(await placeOf(session)), turn, interrupted: aborted.has(session) };
    if (ended.delegate === undefined) tellNow("idle", ended);
    else await tell("idle", ended);
  }

  return {
    "chat.message": quietly(async ({ sessionID }, { message, parts }) => {
      const place = await placeOf(sessionID);
      if (place.delegate !== undefined) {
        turns.set(sessionID, turns.get(place.session));
        return;
      }
      turns.set(sessionID, message.id);
      for (const state of [used, aborted, idle]) state.delete(sessionID);
      const texts = parts.filter((part) => part.type === "text");
      const own = texts.filter((part) => !part.synthetic);
      const isNote = parts.length > 0 && parts.every((part) => part.type === "text" && part.synthetic);
      await tell(isNote ? "note" : "prompt", { ...place, turn: message.id, text: own.map((part) => part.text).join("\\n") });
    }),

    "tool.execute.before": quietly(async ({ tool, sessionID, callID }, { args }) => {
      if (harmless.has(tool)) return;
      const place = await placeOf(sessionID);
      const turn = turns.get(sessionID) ?? turns.get(place.session);
      const times = used.get(place.session) ?? new Map();
      used.set(place.session, times);
      const key = sessionID + " " + callID;
      const time = (times.get(key) ?? 0) + 1;
      times.set(key, time);
      const call = { ...place, turn, tool, call: time === 1 ? callID : callID + "~" + time, args };
      calls.set(key, call);
      await tell("before", call);
    }),

    "tool.execute.after": quietly(async ({ sessionID, callID, args }, output) => {
      await end(sessionID + " " + callID, hasFailed(output?.metadata?.exit) ? "failed" : "done", args);
    }),

    event: quietly(async ({ event: { type, properties } }) => {
      if (type === "session.created" || type === "session.updated") parents.set(properties.info.id, properties.info.parentID);
      // A tool that fails has no after.
      const part = type === "message.part.updated" ? properties.part : undefined;
      if (part?.type === "tool" && part.state.status === "error") await end(part.sessionID + " " + part.callID, "failed");
      if (type === "session.error" && properties.error?.name === "MessageAbortedError") aborted.add(properties.sessionID);
      if (type === "session.idle") await endTurn(properties.sessionID);
    }),
  };
};
`;
  return `${heading}${digestOf(body)}\n${body}`;
}

/** Whether the text is one that some version of Turnstone wrote, and nobody changed since. */
export function isPluginText(text: string): boolean {
  const end = text.indexOf('\n');
  return text.startsWith(heading) && text.slice(heading.length, end) === digestOf(text.slice(end + 1));
}

/** The shim that a plugin of ours starts. */
export function shimOfPlugin(text: string): string | undefined {
  const [, literal] = /^const shim = (".*");$/m.exec(text) ?? [];
  return literal === undefined ? undefined : (JSON.parse(literal) as string);
}

const heading = '// Written by Turnstone, which records with it what OpenCode does. Changes are not kept. ';

function digestOf(body: string): string {
  return Buffer.from(sha256OfText(body)).toString('hex').slice(0, 32);
}
