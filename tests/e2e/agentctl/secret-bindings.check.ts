import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type UsedPlatform, usePlatform } from '../../support/agentctl/use-shared-platform.ts'
import { runTool } from '../../support/tools/run-tool.ts'

const agents = 'agents.proompteng.ai/v1alpha1'
let local: UsedPlatform

beforeAll(async () => {
  local = await usePlatform()
  const secret = (name: string) => ({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { TOKEN: 'x' } },
  })
  await apply(
    secret('allowed'),
    secret('forbidden'),
    {
      ...{ apiVersion: agents, kind: 'AgentProvider', metadata: { name: 'shell' } },
      spec: { binary: '/bin/sh', argsTemplate: ['-c', 'exit 0'] },
    },
    {
      ...{ apiVersion: agents, kind: 'Agent', metadata: { name: 'bound' } },
      spec: { providerRef: { name: 'shell' } },
    },
    {
      ...{ apiVersion: 'security.proompteng.ai/v1alpha1', kind: 'SecretBinding' },
      metadata: { name: 'bound' },
      spec: { subjects: [{ kind: 'Agent', name: 'bound' }], allowedSecrets: ['allowed'] },
    },
  )
})

async function write(...items: readonly object[]): Promise<string> {
  const path = join(local.stateDir, 'objects.json')
  await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  return path
}

async function apply(...items: readonly object[]): Promise<void> {
  const path = await write(...items)
  await kubectl('apply', '-f', path)
}

async function kubectl(...args: readonly string[]): Promise<string> {
  const { kubeconfig } = local
  const ran = await runTool(['kubectl', '1.36'], args, { kubeconfig, timeoutMs: 240_000 })
  expect(ran).toMatchObject({ code: 0 })
  return ran.stdout
}

function runOf(name: string, secret: string) {
  return {
    ...{ apiVersion: agents, kind: 'AgentRun', metadata: { name } },
    spec: {
      ...{ agentRef: { name: 'bound' }, runtime: { type: 'job' }, secrets: [secret] },
      implementation: { inline: { text: 'Take it.' } },
    },
  }
}

const ways: Readonly<Record<string, (name: string, secret: string) => Promise<void>>> = {
  'kubectl apply': (name, secret) => apply(runOf(name, secret)),
  'agentctl apply': async (name, secret) => {
    const path = await write(runOf(name, secret))
    expect(await local.agentctl('apply', '-f', path)).toMatchObject({ code: 0 })
  },
  'agentctl run': async (name, secret) => {
    const flags = ['-a', 'bound', '-t', 'Take it.', '--name', name, '--secret', secret]
    // Its exit code is that of the run.
    await local.agentctl('run', ...flags)
  },
}

test.each(Object.keys(ways))('a SecretBinding holds a run of %s', async (way) => {
  for (const secret of ['forbidden', 'allowed']) {
    const name = `${way.replace(' ', '-')}-${secret}`
    await ways[way]?.(name, secret)
    await kubectl('wait', '--for=condition=Finished', '--timeout=200s', `agentrun/${name}`)
    const run = JSON.parse(await kubectl('get', 'agentrun', name, '-o', 'json'))
    const ended = run.status.conditions.find(({ type }: { type: string }) => type === 'Finished')
    expect([name, ended.reason]).toEqual([
      name,
      secret === 'allowed' ? 'Succeeded' : 'SecretNotAllowed',
    ])
    const selector = `agents.proompteng.ai/agent-run=${name}`
    const jobs = await kubectl('get', 'jobs', '-l', selector, '-o', 'name')
    expect(jobs === '').toBe(secret === 'forbidden')
  }
})
