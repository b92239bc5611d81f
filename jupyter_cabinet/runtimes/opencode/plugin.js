// Loaded into opencode by the settings of one run: it reports events, and enforces the run's rules.
//
// In a terminal it calls the server's hooks; without one it adds lines to the CLI's own JSON lines. The rules override
// the person's settings, which only it sees completely. Made for `arguments.py`. Facts: opencode 1.18.33.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";

const HOOK_MILLISECONDS = 15_000; // a server that is gone must not block the person's CLI
const AUTO_MILLISECONDS = 5_000; // for the TUI to allow the call itself, even on a busy machine
const RESULT_CHARACTERS = 20_000; // of a tool's output; the CLI's own store has all of it
const NATIVE = ["build", "plan", "general", "explore"];
const READERS = ["plan", "explore"]; // agents that change no files, whatever the run may do
const ALWAYS = /^(session\.(status|error)|permission\.|question\.)/;
const WITHOUT_TERMINAL = /^(session\.(status|error)|permission\.asked)/; // the CLI reports the rest itself

export default {
  id: "jupyter-cabinet",
  server: async ({ client }, settings) => {
    const tell = settings.hook?.length ? byHooks(settings, client) : settings.lines ? byLines(client) : undefined;
    if (settings.first) begin(client, settings.first, tell); // not awaited: it needs the objects that are being set up here
    return {
      config: async (config) => hold(config, settings),
      event: async ({ event }) => tell?.(event),
    };
  },
};

// The TUI takes a first instruction only for a new session: a continued session gets it here.
async function begin(client, { session, file, model }, tell) {
  const body = { parts: [{ type: "text", text: await readFile(file, "utf8") }], model };
  const { error } = await client.session.promptAsync({ path: { id: session }, body });
  if (error) tell?.({ type: "session.error", properties: { sessionID: session, error } });
}

function byLines(client) {
  const say = (event) => process.stdout.write(`${JSON.stringify({ type: "cabinet", event })}\n`);
  let looked = false;
  return (event) => {
    if (WITHOUT_TERMINAL.test(event.type)) say(slim(event));
    if (looked || event.type !== "session.status") return;
    looked = true;
    failedServers(client).then((failed) => failed.length && say({ type: "tools.failed", properties: { failed } }));
  };
}

// Events that happen while a hook is being called are sent with the next one.
function byHooks(settings, client) {
  let waiting = [];
  let busy = false;
  const flush = async () => {
    busy = true;
    while (waiting.length) {
      const events = waiting.map(slim);
      waiting = [];
      await hook(settings.hook, { hook_event_name: "Events", events }).said;
    }
    busy = false;
  };
  const asking = new Map();
  return (event) => {
    if (event.type === "permission.asked") return ask(settings, client, event, asking);
    if (event.type === "permission.replied") asking.get(event.properties.requestID)?.stop();
    if (!isNews(event)) return undefined;
    waiting.push(event);
    return busy ? undefined : flush();
  };
}

// The first answer counts: the person's in the terminal, or the server's, if the hook prints one. `auto`: the TUI
// allows the call itself, unless the person has turned that off, so only a question that remains is passed on.
async function ask({ hook: command, auto }, client, event, asking) {
  const { id, sessionID } = event.properties;
  if (auto && (await isAnsweredSoon(id, asking))) return;
  const waiting = hook(command, { hook_event_name: "PermissionRequest", event: slim(event) }, 0);
  asking.set(id, waiting);
  const said = await waiting.said;
  asking.delete(id);
  const answer = parsed(said);
  if (!answer.reply) return;
  if (answer.message && (await refuseWith(client, id, answer.message))) return;
  const path = { id: sessionID, permissionID: id };
  await client.postSessionIdPermissionsPermissionId({ path, body: { response: answer.reply } });
}

function isAnsweredSoon(id, asking) {
  return new Promise((resolve) => {
    const done = (answered) => {
      clearTimeout(timer);
      asking.delete(id);
      resolve(answered);
    };
    const timer = setTimeout(done, AUTO_MILLISECONDS, false);
    asking.set(id, { stop: () => done(true) });
  });
}

// With a note the agent continues and follows it. The client for plugins has no method for that yet.
async function refuseWith(client, requestID, message) {
  const request = {
    url: "/permission/{requestID}/reply",
    path: { requestID },
    body: { reply: "reject", message },
    headers: { "Content-Type": "application/json" },
  };
  try {
    return !(await client._client.post(request)).error;
  } catch {
    return false;
  }
}

function hook(command, payload, limit = HOOK_MILLISECONDS) {
  const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
  const timer = limit ? setTimeout(() => child.kill(), limit) : undefined;
  const said = new Promise((resolve) => {
    let text = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (piece) => (text += piece));
    child.on("error", () => resolve(""));
    child.on("close", () => resolve(text));
  }).finally(() => clearTimeout(timer));
  child.stdin.on("error", () => undefined);
  child.stdin.end(JSON.stringify(payload));
  return { said, stop: () => child.kill() };
}

function isNews({ type, properties }) {
  if (ALWAYS.test(type) || type === "session.created") return true;
  if (type === "message.updated") return properties.info.role === "user";
  if (type !== "message.part.updated") return false;
  const part = properties.part;
  if (part.type === "tool") return part.state.status !== "pending";
  if (part.type === "text") return !part.time || Boolean(part.time.end); // a person's text has no time
  return part.type === "step-finish" || (part.type === "reasoning" && Boolean(part.time?.end));
}

// Leaves out data that nobody reads: complete files before and after a change.
function slim({ type, properties }) {
  const { part, info } = properties;
  if (part?.type === "tool") {
    const { status, input, output, error } = part.state;
    const state = { status, input, output: cut(output), error: cut(error) };
    return { type, properties: { ...properties, part: { ...part, state, metadata: undefined } } };
  }
  if (info?.summary) return { type, properties: { ...properties, info: { ...info, summary: undefined } } };
  return { type, properties };
}

function cut(text) {
  return typeof text === "string" ? text.slice(0, RESULT_CHARACTERS) : undefined;
}

async function failedServers(client) {
  try {
    const { data } = await client.mcp.status();
    return Object.keys(data ?? {}).filter((name) => data[name].status === "failed");
  } catch {
    return [];
  }
}

function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

// --- rules --------------------------------------------------------------------------------------------------------
// `settings.rules`: the run's permissions. `settings.only`: everything that it does not name is denied. opencode
// applies the last matching rule, and an agent's rules come after the general ones: so they are added to every agent.

function hold(config, settings) {
  const rules = settings.rules ?? {};
  if (!settings.only && !Object.keys(rules).length) return;
  config.agent ??= {};
  const everybody = table(config.permission);
  for (const name of new Set([...NATIVE, ...Object.keys(config.agent)])) {
    const agent = (config.agent[name] ??= {});
    const own = table(agent.permission);
    const kept = settings.only ? { "*": "deny" } : own;
    const mine = { ...everybody, ...own };
    for (const [key, action] of Object.entries(rules)) {
      if (key === "edit" && READERS.includes(name)) continue;
      delete kept[key];
      kept[key] = over(action, mine[key] ?? (mine["*"] === "deny" ? "deny" : undefined));
    }
    agent.permission = kept;
  }
}

// The person's denials are kept, and rules for single commands or files are unchanged.
function over(action, own) {
  if (own === "deny") return "deny";
  if (typeof own !== "object") return action;
  const { "*": all, ...single } = own;
  return { ...(all === "deny" ? { "*": "deny" } : table(action)), ...single };
}

function table(rules) {
  return typeof rules === "string" ? { "*": rules } : { ...rules };
}
