import type { ToolServerOfCli } from '../../api/types';
import { fakeServer, refusal } from '../../testing/fakes';
import { isComplete, useLabel } from './toolLabels';
import { copyOf, ToolServersOfClisStore } from './toolServersOfClis';

const aServer = (change: Partial<ToolServerOfCli> = {}): ToolServerOfCli => ({
  runtime: 'claude',
  title: 'Claude Code',
  name: 'Example Issues!',
  path: '/home/ada/.claude.json',
  transport: 'stdio',
  command: ['npx', '-y', '@example/issues', '--api-key', '…'],
  address: '',
  variables: ['TOKEN'],
  headers: [],
  use: 'yes',
  ...change
});

it('a tool server of a CLI fills in the form, without its secrets', () => {
  const draft = copyOf(aServer());
  expect(isComplete(draft)).toBe(true);
  expect(draft).toEqual({
    name: 'example-issues',
    kind: 'program',
    program: 'npx',
    arguments: '-y\n@example/issues\n--api-key\n…',
    environment: 'TOKEN=',
    address: '',
    headers: '',
    shared: false
  });
  const remote = copyOf(
    aServer({
      name: '9-docs-',
      command: [],
      address: 'https://…@docs.example.com/mcp?…',
      variables: [],
      headers: ['Authorization', 'X-Team']
    })
  );
  expect(remote).toMatchObject({
    name: 'docs',
    kind: 'address',
    address: 'https://docs.example.com/mcp',
    headers: 'Authorization: \nX-Team: '
  });
});

it('keeps what was read when it cannot be read again', async () => {
  const server = fakeServer({
    'GET tool-servers-of-clis': { items: [aServer()], problems: ['x is damaged.'] }
  });
  const store = new ToolServersOfClisStore(server.client);
  await store.refresh();
  expect(store.items).toHaveLength(1);
  expect(store.problems).toEqual(['x is damaged.']);
  server.answers['GET tool-servers-of-clis'] = refusal(403, 'not_allowed', 'No.');
  await store.refresh();
  expect(store.problem).toBe('No.');
  expect(store.items).toHaveLength(1);
});

it('says whether runs without an agent use it', () => {
  const trans = { __: (text: string) => text } as never;
  expect(useLabel('yes', trans)).toBe('Runs without an agent use it');
  expect(useLabel('if_trusted', trans)).toMatch('if you have trusted the folder');
  expect(useLabel('no', trans)).toBe('Switched off');
});
