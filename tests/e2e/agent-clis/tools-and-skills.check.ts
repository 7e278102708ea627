import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { env } from 'node:process'
import { agent } from '@agents/jangar-api'
import { ConfigMapKind, kindRef, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../../support/model-server/model-server.ts'
import type { ReplyUsage } from '../../support/model-server/reply.ts'
import { ensureAgentCli } from '../../support/testbed/agent-clis.ts'
import { freePort } from '../../support/testbed/free-port.ts'
import { until } from '../../support/testbed/until.ts'
import { type ClisPlatform, startClisPlatform } from './clis-platform.ts'
import { placesOf } from './marker-places.ts'
import { subjectsOfTier } from './subjects.ts'

const usage: ReplyUsage = { inputTokens: 1000, cachedInputTokens: 0, outputTokens: 50 }
const token = 'mcp-marker-0123456789abcdefghij'
let clis: ClisPlatform
let remote: { readonly url: string; readonly process: ChildProcess }

beforeAll(async () => {
  const names = subjectsOfTier.map(({ cli }) => cli)
  clis = await startClisPlatform([...names, 'mcp-everything'], env)
  remote = await startRemote()
  await clis.pushFile('skills', gitSkill.file, gitSkill.content)
})
afterAll(async () => {
  remote?.process.kill()
  await clis?.stop()
})

/** The same server, over HTTP. */
async function startRemote() {
  const folder = await ensureAgentCli('mcp-everything', env)
  const port = await freePort()
  const program = join(folder, 'bin/mcp-server-everything')
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { ...env, PORT: `${port}` },
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}/mcp`
  await until(() =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  )
  return { url, process: child }
}

const secretKeyRef = { name: 'tools', key: 'token' }

function mcpServers() {
  return [
    { name: 'everything', command: 'mcp-server-everything', args: ['stdio'], tools: ['echo'] },
    {
      name: 'remote',
      url: remote.url,
      headers: [{ name: 'Authorization', prefix: 'Bearer ', valueFrom: { secretKeyRef } }],
      tools: ['echo', 'get-sum'],
    },
    {
      name: 'broken',
      command: 'sh',
      args: ['-c', 'echo "no access with $TOKEN" >&2; exit 3'],
      env: [{ name: 'TOKEN', valueFrom: { secretKeyRef } }],
    },
  ]
}

const skill = `---
name: release-notes
description: MARK-SKILL, which writes release notes.
---
Follow template.txt.
`

/** As the other one, in a folder of a repository. */
const gitSkill = {
  file: 'skills/code-style/SKILL.md',
  content: '---\nname: code-style\ndescription: MARK-GIT-SKILL, for all code.\n---\nUse tabs.\n',
}

describe.each(subjectsOfTier)('$cli', (subject) => {
  let model: ModelServer
  let namespace: string

  beforeAll(async () => {
    model = await startModelServer()
    namespace = await clis.install(subject, model.url, 'sk-0123456789abcdefghij')
    const { client } = clis.platform
    await client.create(SecretKind, {
      metadata: { name: 'tools', namespace },
      stringData: { token },
    } as never)
    await client.create(ConfigMapKind, {
      metadata: { name: 'release-notes', namespace },
      data: { 'SKILL.md': skill, 'template.txt': 'MARK-TEMPLATE\n' },
    } as never)
    const git = { url: `file://${clis.remote}`, ref: 'skills', path: 'skills/code-style' }
    const skills = [
      { name: 'release-notes', configMapRef: { name: 'release-notes' } },
      { name: 'code-style', git: { ...git, vcsRef: { name: 'local' } } },
    ]
    const body = { spec: { mcpServers: mcpServers(), skills } }
    await client.patch(kindRef(agent), { namespace, name: 'coder' }, { type: 'merge', body })
  })
  afterAll(() => model?.close())

  test('has a skill and calls tools of MCP servers, and is warned of one that does not start', async () => {
    const { callMcp } = subject
    const calls = [
      { server: 'everything', message: 'MARK-FIRST' },
      { server: 'remote', message: 'MARK-SECOND' },
    ]
    let turns = 0
    let isWritten = false
    model.play((request) => {
      if (!subject.isTurn(request)) return { text: 'A title', usage }
      turns += 1
      // Codex begins while its servers start, so that a tool may be missing in its first turns.
      const next = calls.find(({ message }) => !request.text.includes(`Echo: ${message}`))
      if (callMcp !== undefined && next !== undefined && turns < 20) {
        return { calls: [callMcp(next.server, 'echo', { message: next.message })], usage }
      }
      if (isWritten) return { text: 'All done.', usage }
      isWritten = true
      return { ...subject.write('hello.txt', 'hello'), usage }
    })
    await clis.createRun(namespace, 'with-tools')
    const { status } = await clis.finished(namespace, 'with-tools')
    expect(status?.vcs, JSON.stringify(status)).toMatchObject({ pushed: true })
    expect(model.requests.filter(subject.isTurn)[0]?.text).toContain('MARK-SKILL')
    expect(model.requests.filter(subject.isTurn)[0]?.text).toContain('MARK-GIT-SKILL')
    const commit = (await clis.git('rev-parse', 'skills')).trim()
    expect(status?.skills).toEqual([{ name: 'code-style', commit }])
    expect(status?.vcs).toMatchObject({ filesChanged: 1 })
    if (callMcp === undefined) {
      expect(status?.warnings).toEqual([
        'aider cannot use MCP servers, so the agent had no tools of everything, remote, broken',
      ])
      return
    }
    const last = model.requests.filter(subject.isTurn).at(-1)
    expect(last?.text).toContain('Echo: MARK-FIRST')
    expect(last?.text).toContain('Echo: MARK-SECOND')
    expect(status?.warnings).toEqual([
      'MCP server broken did not start: exit code 3: no access with ***',
    ])
    expect(await placesOf(clis, token, namespace)).toEqual([])
  })

  test('does not start without a skill, and its run says why', async () => {
    const path = { namespace, name: 'coder' }
    const git = { url: `file://${clis.remote}`, ref: 'none', vcsRef: { name: 'local' } }
    const body = { spec: { skills: [{ name: 'absent', git }] } }
    await clis.platform.client.patch(kindRef(agent), path, { type: 'merge', body })
    model.play(() => ({ text: 'All done.', usage }))
    await clis.createRun(namespace, 'without-skill')
    const { status } = await clis.finished(namespace, 'without-skill')
    const ended = status?.conditions?.find(({ type }) => type === 'Succeeded')
    expect(ended).toMatchObject({ status: 'False', reason: 'SkillUnavailable' })
    expect(ended?.message).toMatch(/skill absent: .* has no branch, tag or commit named none/)
    expect(model.requests).toEqual([])
  })
})
