import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHarness, type RunnerHarness } from '../testing/runner-harness.ts'

const token = 'mcp-marker-0123456789'

/** A client as a CLI has one: starts each server of its configuration, lists the tools and calls one. */
const client = `
const { spawn } = require('node:child_process')
const { appendFileSync, readFileSync } = require('node:fs')
const { createInterface } = require('node:readline')
const flag = process.argv.find((arg) => arg.startsWith('--mcp-config='))
const { mcpServers } = flag ? JSON.parse(readFileSync(flag.slice(13), 'utf8')) : { mcpServers: {} }
async function use(name, { command, args }) {
  // Some CLIs pass on a few variables only.
  const child = spawn(command, args, { env: {}, stdio: 'pipe' })
  child.stdin.on('error', () => {})
  // Some CLIs keep it in files.
  child.stderr.on('data', (data) => appendFileSync('seen', data))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let id = 0
  const ask = async (method, params) => {
    child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }) + '\\n')
    const { value, done } = await lines.next()
    return done ? { gone: true } : JSON.parse(value)
  }
  const begun = await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
  appendFileSync('seen', JSON.stringify(begun))
  if (!begun.result) return child.stdin.end(), [name, begun]
  child.stdin.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) + '\\n')
  const { result } = await ask('tools/list', {})
  const shown = await ask('tools/call', { name: 'show', arguments: {} })
  const hidden = await ask('tools/call', { name: 'hidden', arguments: {} })
  child.stdin.end()
  await new Promise((resolve) => child.once('close', resolve))
  return [name, {
    tools: result.tools.map((tool) => tool.name),
    shown: shown.result?.content[0].text,
    hidden: hidden.error?.message ?? hidden.result?.content[0].text,
  }]
}
Promise.all(Object.entries(mcpServers).map(([name, server]) => use(name, server))).then((all) =>
  console.log(JSON.stringify({
    servers: Object.fromEntries(all),
    config: flag ? readFileSync(flag.slice(13), 'utf8') : '',
    env: process.env,
  })))
`

/** A server with two tools. */
const server = `
const { createInterface } = require('node:readline')
const answers = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'test', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'show', inputSchema: {} }, { name: 'hidden', inputSchema: {} }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify({ env: process.env, args: process.argv.slice(1), cwd: process.cwd() }) }] }),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]() }))
}).on('close', () => process.exit(0))
`

const working = { name: 'works', command: process.execPath, args: ['-e', server, 'literal $HOME'] }

async function given(harness: RunnerHarness, mcpServers: readonly object[]) {
  const ran = await harness.run({
    runner: { cli: 'claude-code', mcpServers, secretEnv: ['AGENT_MCP_0_0'] },
    env: { AGENT_MCP_0_0: token, OTHER_SECRET: 'other-0123456789' },
    argv: ['--', process.execPath, '-e', client, 'end'],
  })
  expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0)
  const seen = JSON.parse(ran.stdout) as {
    readonly servers: Readonly<Record<string, Record<string, unknown>>>
    readonly config: string
    readonly env: Readonly<Record<string, string>>
  }
  return { ran, seen, warnings: ran.message?.warnings }
}

/** What the client was told when it began, and standard error of its servers. */
function seenByClient({ workspace }: RunnerHarness): string {
  return readFileSync(join(workspace, 'seen'), 'utf8')
}

describe('a server that is a program', () => {
  test('gets its own variables, the values of its Secrets among them, and no others', async () => {
    const harness = createHarness()
    const env = [
      { name: 'TOKEN', variable: 'AGENT_MCP_0_0' },
      { name: 'MODE', value: 'fast $HOME' },
    ]
    const { seen, warnings, ran } = await given(harness, [{ ...working, env }])
    expect(warnings).toBeUndefined()
    const shown = JSON.parse(seen.servers.works?.shown as string)
    expect(shown).toMatchObject({
      env: { MODE: 'fast $HOME' },
      args: ['literal $HOME'],
      cwd: harness.workspace,
    })
    // As all output shows it.
    expect(shown.env.TOKEN).toBe('***')
    expect(Object.keys(shown.env).toSorted()).toEqual(['AGENT_WORKSPACE', 'MODE', 'PATH', 'TOKEN'])
    expect(ran.stdout).not.toContain(token)
    expect(Object.keys(seen.env)).toContain('OTHER_SECRET')
    expect(Object.keys(seen.env)).not.toContain('AGENT_MCP_0_0')
    expect(seen.config).not.toContain('AGENT_MCP')
  })

  test('shows the tools that are listed, and no others', async () => {
    const { seen } = await given(createHarness(), [{ ...working, tools: ['show'] }])
    expect(seen.servers.works).toMatchObject({ tools: ['show'], hidden: 'Unknown tool: hidden' })
    const { seen: all } = await given(createHarness(), [working])
    expect(all.servers.works?.tools).toEqual(['show', 'hidden'])
    expect(all.servers.works?.hidden).toContain('"env"')
  })

  test.each([
    {
      because: 'the program does not exist',
      server: { name: 'lost', command: 'no-such-program' },
      warning: 'MCP server lost did not start: the program no-such-program was not found',
    },
    {
      because: 'it fails, and its last words hold its Secret',
      server: {
        name: 'broken',
        command: process.execPath,
        args: ['-e', 'throw new Error("bad token " + process.env.TOKEN)'],
        env: [{ name: 'TOKEN', variable: 'AGENT_MCP_0_0' }],
      },
      warning: /^MCP server broken did not start: exit code 1: .*Error: bad token \*\*\*$/,
    },
    {
      because: 'it ends before it reads',
      server: { name: 'quick', command: 'sh', args: ['-c', 'echo no access >&2; exit 3'] },
      warning: 'MCP server quick did not start: exit code 3: no access',
    },
    {
      because: 'it says very much',
      server: {
        name: 'loud',
        command: process.execPath,
        args: ['-e', 'console.error("\\x1b[31m" + "x".repeat(1e6)); process.exit(3)'],
      },
      warning: /^MCP server loud did not start: exit code 3: x{300,400}…$/,
    },
    {
      because: 'it ends while its tools are in use',
      server: {
        ...working,
        args: [
          '-e',
          server.replace("'tools/call': () =>", "'tools/call': () => process.exit(4) ??"),
        ],
      },
      warning: 'MCP server works ended during the run: exit code 4',
    },
  ])('is a warning if $because', async ({ server: broken, warning }) => {
    const harness = createHarness()
    const { warnings, ran } = await given(harness, [broken])
    expect(warnings).toEqual([
      typeof warning === 'string' ? warning : expect.stringMatching(warning),
    ])
    expect(JSON.stringify(ran) + seenByClient(harness)).not.toContain(token)
  })
})

test('a server that the CLI never starts is a warning if the CLI succeeds', async () => {
  const ran = await createHarness().run({
    runner: { cli: 'codex', mcpServers: [working] },
    argv: ['--', process.execPath, '-e', '0', 'end'],
  })
  expect(ran.message?.warnings).toEqual(['MCP server works was not started by codex'])
  const failed = await createHarness().run({
    runner: { cli: 'codex', mcpServers: [working] },
    argv: ['--', process.execPath, '-e', 'process.exit(1)', 'end'],
  })
  expect(failed.message).toMatchObject({ exitCode: 1 })
  expect(failed.message).not.toHaveProperty('warnings')
})

test.each([
  { runner: { cli: 'aider' }, which: 'aider' },
  { runner: { cli: undefined }, which: 'provider test' },
])('$which, which has no MCP, is a warning', async ({ runner, which }) => {
  const ran = await createHarness().run({
    runner: { ...runner, mcpServers: [working] },
    argv: ['--', process.execPath, '-e', '0', 'end'],
  })
  expect(ran.message?.warnings).toEqual([
    `${which} cannot use MCP servers, so the agent had no tools of works`,
  ])
})

test('nothing of the servers is left in the workspace but the configuration without secrets', async () => {
  const harness = createHarness()
  writeFileSync(join(harness.workspace, 'marker'), '')
  await given(harness, [{ ...working, env: [{ name: 'TOKEN', variable: 'AGENT_MCP_0_0' }] }])
  const file = join(harness.workspace, '.agent', 'mcp.json')
  expect(existsSync(file)).toBe(true)
  expect(readFileSync(file, 'utf8')).not.toContain(token)
})

describe('a server that is a URL', () => {
  interface Got {
    readonly method: string | undefined
    readonly headers: IncomingMessage['headers']
    readonly message: { readonly id?: number; readonly method?: string } | undefined
  }

  /** Speaks streamable HTTP: JSON for the first request, events for the others. */
  async function serve(status = 200) {
    const got: Got[] = []
    const http = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const message = body === '' ? undefined : (JSON.parse(body) as Got['message'])
      got.push({ method: request.method, headers: request.headers, message })
      const { id, method } = message ?? {}
      const name = (tool: string) => ({ name: tool, inputSchema: {} })
      const results: Record<string, unknown> = {
        initialize: { protocolVersion: '2025-06-18', capabilities: {} },
        'tools/list': { tools: [name('show'), name('hidden')] },
        'tools/call': { content: [{ type: 'text', text: 'over HTTP' }] },
      }
      if (status !== 200) {
        if (status === 302) response.setHeader('location', 'http://127.0.0.1:9/elsewhere')
        response.writeHead(status).end(`refused ${request.headers.authorization}`)
      } else if (id === undefined) response.writeHead(202).end()
      else if (method === 'initialize') {
        response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's-1' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results.initialize }, null, 2))
      } else {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const event = JSON.stringify({ jsonrpc: '2.0', id, result: results[method ?? ''] })
        response.end(`: hello\r\n\r\nevent: message\r\ndata: ${event}\r\n\r\n`)
      }
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      http.close()
      http.closeAllConnections()
    })
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
    return { url, got }
  }

  const headers = [
    { name: 'Authorization', prefix: 'Bearer ', variable: 'AGENT_MCP_0_0' },
    { name: 'X-Team', value: 'a' },
  ]

  test('is reached with its headers, in one session', async () => {
    const { url, got } = await serve()
    const remote = { name: 'remote', url, headers, tools: ['show'] }
    const { seen, warnings } = await given(createHarness(), [remote])
    expect(warnings).toBeUndefined()
    expect(seen.servers.remote).toEqual({
      tools: ['show'],
      shown: 'over HTTP',
      hidden: 'Unknown tool: hidden',
    })
    expect(got.map(({ method, message }) => message?.method ?? method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
      'DELETE',
    ])
    for (const each of got) {
      expect(each.headers).toMatchObject({ authorization: `Bearer ${token}`, 'x-team': 'a' })
    }
    for (const each of got.slice(1)) {
      expect(each.headers).toMatchObject({
        'mcp-session-id': 's-1',
        'mcp-protocol-version': '2025-06-18',
      })
    }
  })

  test.each([
    { because: 'the key is wrong', status: 401, words: 'HTTP 401 refused Bearer \\*\\*\\*' },
    {
      because: 'it points elsewhere, where no credential is sent',
      status: 302,
      words: '.*redirect.*',
    },
  ])('is a warning if $because', async ({ status, words }) => {
    const { url, got } = await serve(status)
    const harness = createHarness()
    const { warnings, ran } = await given(harness, [{ name: 'remote', url, headers }])
    expect(warnings).toEqual([
      expect.stringMatching(`^MCP server remote did not start: no response: ${words}$`),
    ])
    expect(got).toHaveLength(1)
    expect(seenByClient(harness)).toContain('"error"')
    expect(JSON.stringify(ran) + seenByClient(harness)).not.toContain(token)
  })

  test('is a warning if a header cannot be sent, which shows the value nowhere', async () => {
    const { url, got } = await serve()
    const harness = createHarness()
    const torn = { name: 'X-Key', prefix: 'a\nb', variable: 'AGENT_MCP_0_0' }
    const { warnings, ran } = await given(harness, [{ name: 'remote', url, headers: [torn] }])
    expect(warnings).toEqual(['MCP server remote did not start: no response: the request failed'])
    expect(got).toEqual([])
    expect(JSON.stringify(ran) + seenByClient(harness)).not.toContain(token)
  })

  test('is a warning if nobody listens', async () => {
    const listener = createServer()
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
    await new Promise((resolve) => listener.close(resolve))
    const { warnings } = await given(createHarness(), [{ name: 'remote', url }])
    expect(warnings).toEqual(['MCP server remote did not start: no response: ECONNREFUSED'])
  })
})
