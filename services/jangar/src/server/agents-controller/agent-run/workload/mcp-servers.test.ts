import { describe, expect, test } from 'vitest'
import { resolveWork } from '../resolve/resolve-work.ts'
import { agent, keys, portsWith, runOf } from '../resolve/testing/resolution-fixture.ts'
import { built, documentsOf, envOf, provider, vcp } from './testing/built.ts'

function ref(name: string, key: string) {
  return { valueFrom: { secretKeyRef: { name, key } } }
}

const mcpServers = [
  {
    name: 'tickets',
    command: 'mcp-tickets',
    args: ['--mode', '$(HOME) {{ parameters.stage }}'],
    env: [
      { name: 'MODE', value: 'fast' },
      { name: 'TOKEN', ...ref('tickets', 'token') },
    ],
    tools: ['search'],
  },
  {
    name: 'docs',
    url: 'https://docs.example.com/mcp',
    headers: [{ name: 'Authorization', prefix: 'Bearer ', ...ref('docs', 'key') }],
  },
]
const cli = { name: 'codex' }
const secrets = [keys('Secret', 'tickets', 'token', 'other'), keys('Secret', 'docs', 'key')]
const there = [agent({ mcpServers }), provider({ cli }), ...secrets]

function resolutionOf(objects: Parameters<typeof portsWith>[0], env: Record<string, string> = {}) {
  const run = runOf()
  const resolution = resolveWork(run, undefined, portsWith([...objects, run], env))
  return resolution.kind === 'resolved'
    ? resolution.work.notes.join()
    : `${resolution.kind} ${resolution.reason}: ${resolution.message}`
}

describe('MCP servers of an agent', () => {
  test('reach the runner, their Secrets by reference only', () => {
    const objects = built(runOf(), there)
    expect(documentsOf(objects).runner).toMatchObject({
      mcpServers: [
        {
          name: 'tickets',
          command: 'mcp-tickets',
          args: ['--mode', '$(HOME) {{ parameters.stage }}'],
          env: [
            { name: 'MODE', value: 'fast' },
            { name: 'TOKEN', variable: 'AGENT_MCP_0_1' },
          ],
          tools: ['search'],
        },
        {
          name: 'docs',
          url: 'https://docs.example.com/mcp',
          headers: [{ name: 'Authorization', prefix: 'Bearer ', variable: 'AGENT_MCP_1_0' }],
        },
      ],
      secretEnv: ['AGENT_MCP_0_1', 'AGENT_MCP_1_0'],
    })
    expect(envOf(objects)).toMatchObject({
      AGENT_MCP_0_1: { secretKeyRef: { name: 'tickets', key: 'token' } },
      AGENT_MCP_1_0: { secretKeyRef: { name: 'docs', key: 'key' } },
    })
    expect(resolutionOf(there)).toBe('')
  })

  test('cannot be replaced by variables of the agent', () => {
    const env = [{ name: 'AGENT_MCP_0_1', value: 'forged' }]
    const objects = built(runOf(), [...there, agent({ mcpServers, env })])
    expect(envOf(objects).AGENT_MCP_0_1).toEqual({
      secretKeyRef: { name: 'tickets', key: 'token' },
    })
  })

  test.each([
    {
      because: 'a Secret does not exist yet',
      objects: there.slice(0, 3),
      problem: /^waiting DependencyMissing: .*Secret docs/,
    },
    {
      because: 'a key does not exist yet',
      objects: [...there, keys('Secret', 'docs')],
      problem: /^waiting DependencyMissing: .*key key .*Secret docs|Secret docs .*key key/,
    },
    {
      because: 'the platform blocks a Secret',
      objects: there,
      env: { JANGAR_AGENTS_CONTROLLER_BLOCKED_SECRETS: '["docs"]' },
      problem: /^refused SecretBlocked: Secret docs, which MCP server docs of the agent uses/,
    },
    {
      because: 'the agent does not allow a Secret',
      objects: [...there, agent({ mcpServers, security: { allowedSecrets: ['tickets'] } })],
      problem: /^refused SecretNotAllowed: Secret docs, /,
    },
    {
      because: 'a Secret is the credential of a repository',
      objects: [
        ...there,
        vcp({ auth: { method: 'token', token: { secretRef: { name: 'docs' } } } }),
      ],
      problem:
        /^refused SecretBlocked: Secret docs, .* is the credential of VersionControlProvider/,
    },
  ])('keep a run from starting if $because', ({ objects, env, problem }) => {
    expect(resolutionOf(objects, env)).toMatch(problem)
  })

  test.each([
    { because: 'it has no cli', spec: {}, note: 'AgentProvider codex has no cli' },
    {
      because: 'its cli has no MCP',
      spec: { cli: { name: 'aider' } },
      note: 'aider does not support MCP',
    },
  ])('are noted as missing, and their Secrets are not used, where $because', ({ spec, note }) => {
    const objects = [agent({ mcpServers }), provider(spec)]
    expect(resolutionOf(objects)).toBe(`the agent has no tools of its MCP servers: ${note}`)
    expect(Object.keys(envOf(built(runOf(), objects))).join()).not.toContain('AGENT_MCP')
  })
})
