// Loaded into pi by `--extension`: it reports events to the server's hooks, and enforces the run's permission mode.
//
// pi itself never asks. It passes every tool call to an extension before it is carried out, and a call for which
// this file fails is not carried out. Settings come in one variable (`arguments.py`). Facts: pi 0.87.1.

import { spawn } from "node:child_process";
import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";

const KEY = "JUPYTER_CABINET_PI";
const HOOK_MILLISECONDS = 15_000; // a server that is gone must not block the person's CLI
const READERS = new Set(["read", "grep", "find", "ls"]);
const WRITERS = new Set(["edit", "write"]);
// An answer, and its text in the terminal's dialog. After `deny` a colon and the person's note may follow.
const BOX = { allow: "Yes", session: "Yes, and do not ask again for this tool in this session", deny: "No" };

// A further session (`/new`) loads this file again; processes that pi starts need not see the settings.
const settings = (globalThis[Symbol.for(KEY)] ??= JSON.parse(process.env[KEY] ?? "{}"));
delete process.env[KEY];

export default function cabinet(pi) {
  const allowed = new Set(); // tools that need no further question in this session
  let asking = Promise.resolve(); // calls of one message come together, questions one after the other
  let told = Promise.resolve(); // hooks too
  let last = {};

  const tell = (ctx, name, fields) => {
    told = told.then(() => hook(ctx, name, fields).said);
    return told;
  };

  pi.on("session_start", (event, ctx) => tell(ctx, "SessionStart", { source: event.reason, model: ctx.model?.id ?? "" }));

  pi.on("message_end", (event, ctx) => {
    const { role, content, stopReason, errorMessage } = event.message;
    if (role === "user") tell(ctx, "UserPromptSubmit", { prompt: textOf(content) });
    if (role === "assistant") last = { text: textOf(content), stopReason, errorMessage };
  });

  pi.on("tool_call", async (event, ctx) => {
    const call = { tool_use_id: event.toolCallId, tool_name: event.toolName, tool_input: event.input };
    await tell(ctx, "PreToolUse", call); // before its result is in the transcript
    if (settings.mode === "edit" && WRITERS.has(event.toolName) && !isInside(ctx.cwd, event.input.path)) {
      return { block: true, reason: `Only files in ${ctx.cwd} may be changed in this run.` };
    }
    if (settings.mode !== "ask" || READERS.has(event.toolName) || allowed.has(event.toolName)) return undefined;
    const answer = asking.then(() => (allowed.has(event.toolName) ? "allow" : ask(ctx, call, tell)));
    asking = answer.catch(() => undefined);
    const [said, note] = split(await answer);
    if (said === "session") allowed.add(event.toolName);
    if (said === "allow" || said === "session") return undefined;
    return { block: true, reason: note ? `The person refused and said: ${note}` : "The person refused." };
  });

  pi.on("tool_result", (event, ctx) => {
    tell(ctx, "PostToolUse", {
      tool_use_id: event.toolCallId,
      tool_name: event.toolName,
      tool_response: textOf(event.content),
      is_error: event.isError === true,
    });
  });

  pi.on("agent_settled", (event, ctx) =>
    tell(ctx, "Stop", {
      last_assistant_message: last.text ?? "",
      stop_reason: last.stopReason ?? "",
      error: last.errorMessage ?? "",
    }),
  );

  pi.on("session_shutdown", () => told);
}

// The first answer counts: the person's in the dialog, or the server's, if a hook returns one.
async function ask(ctx, call, tell) {
  if (!ctx.hasUI) return "deny";
  if (ctx.mode === "rpc") return ctx.ui.select(`${KEY} ${call.tool_use_id}`, Object.keys(BOX), { signal: ctx.signal });
  const box = new AbortController();
  ctx.signal?.addEventListener("abort", () => box.abort(), { once: true });
  const waiting = hook(ctx, "PermissionRequest", call, 0);
  const byServer = waiting.said.then((said) => (split(said)[0] in BOX ? said : never()));
  const title = `pi asks to use ${call.tool_name}: ${JSON.stringify(call.tool_input).slice(0, 300)}`;
  const inBox = ctx.ui.select(title, Object.values(BOX), { signal: box.signal });
  const byPerson = inBox.then((label) => Object.keys(BOX).find((answer) => BOX[answer] === label) ?? "deny");
  const said = await Promise.race([byPerson, byServer]);
  box.abort();
  waiting.stop();
  tell(ctx, "PermissionAnswered", { tool_use_id: call.tool_use_id, answer: split(said)[0] });
  return said;
}

function split(answer) {
  const [said, ...rest] = String(answer ?? "deny").split(": ");
  return [said, rest.join(": ")];
}

function hook(ctx, name, fields, limit = HOOK_MILLISECONDS) {
  if (!settings.hook?.length) return { said: Promise.resolve(""), stop: () => undefined };
  const child = spawn(settings.hook[0], settings.hook.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
  const timer = limit ? setTimeout(() => child.kill(), limit) : undefined;
  const said = new Promise((resolve) => {
    let text = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (piece) => (text += piece));
    child.on("error", () => resolve(""));
    child.on("close", () => resolve(text.trim()));
  }).finally(() => clearTimeout(timer));
  child.stdin.on("error", () => undefined);
  child.stdin.end(
    JSON.stringify({
      hook_event_name: name,
      session_id: ctx.sessionManager.getSessionId(),
      transcript_path: ctx.sessionManager.getSessionFile() ?? "",
      cwd: ctx.cwd,
      ...fields,
    }),
  );
  return { said, stop: () => child.kill() };
}

// pi's own way with a path: a leading @ goes, strange spaces become spaces, ~ is the home.
function isInside(cwd, file) {
  if (typeof file !== "string") return false;
  const plain = file.replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " ").replace(/^@/, "");
  if (/^(~|file:)/i.test(plain)) return false;
  const place = path.relative(real(cwd), real(path.resolve(cwd, plain)));
  return place !== ".." && !place.startsWith(`..${path.sep}`) && !path.isAbsolute(place);
}

// Symbolic links followed, as far as the path exists. A link that leads nowhere would be followed when it is written.
function real(file) {
  if (lstatSync(file, { throwIfNoEntry: false })) return realpathSync(file);
  return path.join(real(path.dirname(file)), path.basename(file));
}

function textOf(content) {
  if (typeof content === "string") return content;
  const texts = (content ?? []).filter((block) => block.type === "text").map((block) => block.text);
  return texts.join("\n");
}

function never() {
  return new Promise(() => undefined);
}
