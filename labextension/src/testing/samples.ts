/**
 * Values as the server sends them, for tests. Not part of the extension; only specs import them.
 */
import type {
  Approval,
  ArrivingAgent,
  Channel,
  ChannelMessage,
  ConnectedAccount,
  PlanStep,
  PlanView,
  PlayDetail,
  Run,
  RuntimeRow,
  SessionDetail
} from '../api/types';

export function aRun(change: Partial<Run> = {}): Run {
  return {
    number: 1,
    revision: 1,
    id: 'run-1',
    kind: 'editor',
    state: 'running',
    reason: '',
    failure: null,
    attached: [],
    instruction: 'Add a cell',
    path: 'analysis.ipynb',
    cwd: '.',
    runtime: 'demo',
    runtime_title: 'Demo agent',
    model: null,
    permission_mode: 'edit',
    allowed_tools: null,
    mode: 'terminal',
    session_id: 'session-1',
    terminal_id: 'terminal-1',
    trigger: {
      kind: 'person',
      username: 'ada',
      display_name: 'Ada',
      source: '',
      chain: [],
      run_id: '',
      ancestors: []
    },
    owner: 'ada',
    visibility: 'server',
    ahead: 0,
    plan_id: null,
    step_id: null,
    agent: null,
    priority: 0,
    parallel: 1,
    exclusive: false,
    isolate: null,
    isolated: false,
    runner: null,
    where: null,
    tainted: false,
    attempt: 1,
    max_attempts: 1,
    not_before: null,
    timeouts: [],
    own_tools: [],
    allow_unenforced: false,
    network: [],
    image: null,
    position: null,
    denied: 0,
    result: null,
    usage: null,
    cost_usd: null,
    changed: null,
    warnings: [],
    queued_at: '2026-11-21T10:00:00Z',
    started_at: '2026-11-21T10:00:01Z',
    finished_at: null,
    duration_seconds: null,
    ...change
  };
}

export function aSession(
  change: Partial<SessionDetail['session']> = {},
  runs: Run[] = []
): SessionDetail {
  const session: SessionDetail['session'] = {
    id: 'session-1',
    subject: { kind: 'document', path: 'analysis.ipynb' },
    told_path: null,
    title: '',
    runtime: 'demo',
    native_id: null,
    owner: 'ada',
    visibility: 'server',
    terminal_id: null,
    native_cost_usd: null,
    native_usage: null,
    continues: null,
    created_at: '2026-11-21T10:00:00Z',
    updated_at: '2026-11-21T10:00:00Z',
    ...change
  };
  return { session, runs };
}

export function anApproval(change: Partial<Approval> = {}): Approval {
  return {
    number: 1,
    id: 'approval-1',
    state: 'waiting',
    run_id: 'run-1',
    question_id: 'q1',
    runs: [],
    session_id: 'session-1',
    terminal_id: null,
    path: 'analysis.ipynb',
    runtime_title: 'Claude Code',
    instruction: 'Add a cell',
    kind: 'command',
    title: 'Claude Code asks to run a command',
    question: 'May it run a command?',
    tool: 'Bash',
    parts: [{ label: 'Command', text: 'pip install statsmodels', changes: false }],
    edits: [],
    why: '',
    folder: '/srv/work',
    isolated: false,
    risks: ['no_sandbox'],
    options: [
      {
        id: 'allow',
        label: 'Allow once',
        kind: 'allow_once',
        grants: '',
        takes_note: false,
        questions: []
      },
      {
        id: 'session',
        label: 'Allow for this session',
        kind: 'allow_session',
        grants: '',
        takes_note: false,
        questions: []
      },
      { id: 'deny', label: 'Deny', kind: 'deny', grants: '', takes_note: true, questions: [] }
    ],
    because: '',
    rule_id: null,
    rule: '',
    always: [],
    always_days: 0,
    in_terminal: false,
    owner: 'ada',
    owner_name: 'Ada Lind',
    visibility: 'server',
    asked_at: '2026-11-21T10:00:00Z',
    expires_at: '2026-11-21T10:10:00Z',
    option: null,
    note: '',
    answered_by: null,
    closed_at: null,
    outcome: '',
    ...change
  };
}

/** One that was found and can do the usual. */
export function aRuntime(change: Partial<RuntimeRow>): RuntimeRow {
  return {
    name: 'claude',
    title: 'Claude Code',
    docs: '',
    install: '',
    login_hint: '',
    found: true,
    reason: '',
    path: '/usr/bin/claude',
    version: '1.0',
    tested: '',
    warning: '',
    login: 'yes',
    capabilities: {
      allowed_tools: false,
      blocking_hooks: false,
      chosen_session_id: false,
      cost: false,
      finish_signal: false,
      fork: false,
      headless: true,
      interactive: true,
      interrupts: false,
      max_turns: false,
      mcp: false,
      models: [],
      permission_modes: ['ask', 'edit', 'bypass'],
      questions: false,
      resume: false,
      system_prompt: false,
      text_deltas: false,
      model_choice: true
    },
    isolable: true,
    sessions_of: '',
    is_default: false,
    builtin: true,
    last_error: null,
    ...change
  };
}

export function aPlay(slug: string, change: Partial<PlayDetail> = {}): PlayDetail {
  return {
    slug,
    name: slug,
    title: '',
    category: '',
    agent: 'ada',
    agent_gone: false,
    reason: '',
    confirmed: true,
    broken: false,
    schedule: '',
    next_due: null,
    triggers: [],
    inputs: [],
    run_id: null,
    run_state: null,
    last: null,
    may_change: true,
    etag: 'e1',
    text: '---\n---\nhello\n',
    fields: {},
    hash: 'h',
    difference: [],
    errors: [],
    notes: [],
    tools: null,
    timeout_seconds: 300,
    upcoming: [],
    has_secret: false,
    ...change
  };
}
/** What starts a play when another one has ended. */
export const after = (
  play: string,
  status: 'succeeded' | 'failed' = 'succeeded'
): PlayDetail['triggers'][number] => ({
  type: 'on_complete',
  play,
  status
});

export function aStep(id: string, change: Partial<PlanStep> = {}): PlanStep {
  return {
    id,
    title: `Step ${id}`,
    description: '',
    prompt: '',
    depends_on: [],
    runtime: null,
    agent: null,
    cwd: null,
    command: [],
    verify: [],
    retries: 1,
    state: 'pending',
    reason: '',
    failure: '',
    blocker: '',
    phase: null,
    run_id: null,
    work_run_id: null,
    execution: 'primary',
    attempts: 0,
    report: null,
    answer: '',
    runs: [],
    lost: [],
    cost_usd: null,
    changed_files: null,
    commit: '',
    added_by: null,
    task: null,
    mark: '',
    started_at: null,
    finished_at: null,
    waits: '',
    ...change
  };
}

/** Its counts are those of its steps. */
export function aPlan(steps: PlanStep[], change: Partial<PlanView> = {}): PlanView {
  const count = (state: PlanStep['state']) => steps.filter(step => step.state === state).length;
  return {
    id: 'plan-1',
    title: 'Tidy the data',
    description: '',
    cwd: '.',
    runtime: null,
    model: null,
    agent: null,
    permission_mode: null,
    isolate: null,
    evaluation: 'off',
    max_steps: 100,
    commit: false,
    max_cost_usd: null,
    max_runs: null,
    max_minutes: null,
    checklist: null,
    number: 1,
    state: 'draft',
    reason: '',
    begun_at: null,
    begun_runs: 0,
    owner: 'ada',
    owner_name: 'Ada',
    visibility: 'server',
    archived: false,
    steps,
    proposals: [],
    other_cost_usd: null,
    breakdown: null,
    created_at: '2026-11-21T10:00:00Z',
    updated_at: '2026-11-21T10:00:00Z',
    counts: {
      pending: count('pending'),
      queued: count('queued'),
      running: count('running'),
      done: count('done'),
      failed: count('failed'),
      blocked: count('blocked'),
      skipped: count('skipped'),
      waiting: steps.filter(step => step.state === 'running' && step.waits).length
    },
    cost_usd: null,
    checklist_missing: false,
    may_change: true,
    ...change
  };
}

export function aChannel(change: Partial<Channel> = {}): Channel {
  return {
    id: 'channel-1',
    platform: 'telegram',
    title: 'Team bot',
    agent: '',
    rules: [],
    named_chats: [],
    enabled: true,
    api_url: '',
    shows_buttons: false,
    keep_days: 0,
    token_id: '01hxt',
    owner: 'ada',
    owner_name: 'Ada Lind',
    visibility: 'server',
    created_at: '2026-11-21T10:00:00Z',
    connection: {
      state: 'connected',
      since: '2026-11-21T10:00:00Z',
      account: '@team_bot',
      address: 'https://t.me/team_bot',
      problem: '',
      remedy: ''
    },
    may_change: true,
    pairings: 0,
    waiting: 0,
    unknown: 0,
    ...change
  };
}

export function aConnectedAccount(change: Partial<ConnectedAccount> = {}): ConnectedAccount {
  return {
    id: 'account-1',
    channel_id: 'channel-1',
    sender_id: '1001',
    sender_name: 'Ada',
    username: 'ada',
    display_name: 'Ada Lind',
    shared_login: false,
    may: ['ask'],
    agent: '',
    direct_chat: '1001',
    notify: 'off',
    quiet_from: '',
    quiet_until: '',
    zone: '',
    digest_minutes: 0,
    created_at: '2026-11-21T10:00:00Z',
    ...change
  };
}

export function aChannelMessage(change: Partial<ChannelMessage> = {}): ChannelMessage {
  return {
    id: 'message-1',
    number: 1,
    channel_id: 'channel-1',
    direction: 'in',
    key: '1',
    state: 'answered',
    reason: '',
    chat: '1001',
    thread: '',
    direct: true,
    place: '',
    sender_id: '1001',
    sender_name: 'Ada',
    username: 'ada',
    text: 'Hello',
    buttons: [],
    agent: '',
    run_id: null,
    platform_id: '',
    in_reply_to: '',
    not_before: null,
    items: [],
    given_up: '',
    ending: '',
    at: '2026-11-21T10:00:00Z',
    ...change
  };
}

export function anArrivingAgent(change: Partial<ArrivingAgent> = {}): ArrivingAgent {
  return {
    slug: 'ada',
    new_slug: 'ada',
    name: 'Ada',
    role: '',
    emoji: '🤖',
    cabinet: '0.1.0',
    runtime: null,
    schedule: '',
    hash: 'a'.repeat(64),
    system: 'cabinet',
    converted: [],
    powers: [],
    skills: [],
    plays: [],
    tool_servers: [],
    memory: 0,
    user: 'none',
    may_add_user: false,
    files: [],
    notes: [],
    ...change
  };
}
