import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { type LocalPlatform, startPlatform } from '../../support/agentctl/local-platform.ts'
import { runTool } from '../../support/tools/run-tool.ts'

const apiVersion = 'agents.proompteng.ai/v1alpha1'
let local: LocalPlatform

beforeAll(async () => {
  local = await startPlatform('--no-sample')
  await apply(
    {
      apiVersion,
      kind: 'AgentProvider',
      metadata: { name: 'shell' },
      spec: { binary: '/bin/sh', argsTemplate: ['-c', '{{ parameters.script }}'] },
    },
    {
      apiVersion,
      kind: 'Agent',
      metadata: { name: 'shell' },
      spec: { providerRef: { name: 'shell' } },
    },
    workspace('cache', { size: '1Gi' }),
    workspace('shared', { size: '1Gi', accessModes: ['ReadWriteMany'] }),
  )
})
afterAll(() => local.remove())

function workspace(name: string, spec: object) {
  return {
    apiVersion: 'workspaces.proompteng.ai/v1alpha1',
    kind: 'Workspace',
    metadata: { name },
    spec,
  }
}

function run(name: string, script: string, volume: object) {
  return {
    apiVersion,
    kind: 'AgentRun',
    metadata: { name },
    spec: {
      agentRef: { name: 'shell' },
      implementation: { inline: { text: 'Run a script.' } },
      runtime: { type: 'job' },
      parameters: { script },
      workload: { volumes: [{ name: 'v', mountPath: '/v', ...volume }] },
    },
  }
}

const inCache = { type: 'workspace', workspaceName: 'cache' }

async function apply(...objects: object[]): Promise<void> {
  const path = join(local.stateDir, 'objects.yaml')
  await writeFile(path, objects.map((one) => stringify(one)).join('---\n'))
  await kubectl('apply', '-f', path)
}

async function kubectl(...args: string[]): Promise<string> {
  const { kubeconfig } = local
  const ran = await runTool(['kubectl', '1.36'], args, { kubeconfig, timeoutMs: 240_000 })
  if (ran.code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${ran.stderr}`)
  return ran.stdout
}

async function finished(...names: string[]): Promise<void> {
  const runs = names.map((name) => `agentrun/${name}`)
  await kubectl('wait', '--for=condition=Finished', '--timeout=200s', ...runs)
}

async function conditionOf(name: string, type: string) {
  const { status } = JSON.parse(await kubectl('get', 'agentrun', name, '-o', 'json'))
  return status.conditions.find((one: { type: string }) => one.type === type)
}

test('a workspace is ready, with a claim and a volume that kubectl shows', async () => {
  await kubectl('wait', '--for=condition=Ready', '--timeout=200s', 'workspace/cache')
  const [claim, volume] = await Promise.all([
    kubectl('get', 'pvc', 'cache', '--no-headers'),
    kubectl('get', 'pv', '--no-headers'),
  ])
  expect(claim).toMatch(/^cache +Bound +pvc-[0-9a-f-]+ +1Gi +RWO /)
  expect(volume).toMatch(/^pvc-[0-9a-f-]+ +1Gi +RWO +Delete +Bound +agents\/cache /m)
})

test('runs never use a workspace at the same time', async () => {
  const names = ['w1', 'w2', 'w3', 'w4']
  const script = (name: string) => `echo in ${name} >> /v/log; sleep 1; echo out ${name} >> /v/log`
  await apply(...names.map((name) => run(name, script(name), inCache)))
  const waiting = await Promise.all(
    names.map(async (name) => {
      await expect.poll(() => conditionOf(name, 'Admitted')).toBeDefined()
      return conditionOf(name, 'Admitted')
    }),
  )
  const messages = waiting.map(({ reason, message }) => `${reason}: ${message}`)
  expect(messages).toContainEqual(
    expect.stringMatching(
      /^WorkspaceInUse: Position \d for Workspace cache: Workspace cache is in use/,
    ),
  )
  await finished(...names)
  await apply(run('reads', 'cat /v/log', inCache))
  await finished('reads')
  const log = (await local.agentctl('logs', 'reads')).stdout.trim().split('\n')
  expect(log).toHaveLength(8)
  for (const [at, line] of log.entries()) {
    if (line.startsWith('in ')) expect(log[at + 1]).toBe(line.replace('in', 'out'))
  }
})

test('runs share a workspace whose access mode allows it', async () => {
  // Each ends only when the other has started.
  const script = (own: string, other: string) =>
    `touch /v/${own}; until test -e /v/${other}; do sleep 0.1; done`
  const volume = { type: 'workspace', workspaceName: 'shared' }
  await apply(run('s1', script('a', 'b'), volume), run('s2', script('b', 'a'), volume))
  await finished('s1', 's2')
  for (const name of ['s1', 's2']) {
    expect(await conditionOf(name, 'Succeeded')).toMatchObject({ status: 'True' })
  }
})

test('the claim of a workspace cannot be mounted past the workspace', async () => {
  await apply(run('past', 'true', { type: 'pvc', claimName: 'cache' }))
  await finished('past')
  expect(await conditionOf('past', 'Accepted')).toMatchObject({
    reason: 'ClaimNotAllowed',
    message: expect.stringContaining('type: workspace'),
  })
})

test('a run waits for a workspace that does not exist yet', async () => {
  const volume = { type: 'workspace', workspaceName: 'later' }
  await apply(run('early', 'echo here > /v/file', volume))
  await expect
    .poll(async () => (await conditionOf('early', 'Accepted'))?.reason)
    .toBe('DependencyMissing')
  await apply(workspace('later', { size: '1Gi' }))
  await finished('early')
  expect(await conditionOf('early', 'Succeeded')).toMatchObject({ status: 'True' })
})

test('an expired workspace is gone with its data, and refuses runs', async () => {
  await apply(workspace('brief', { size: '1Gi', ttlSeconds: 1 }))
  await kubectl(
    'wait',
    '--for=jsonpath={.status.phase}=Expired',
    '--timeout=200s',
    'workspace/brief',
  )
  await kubectl('wait', '--for=delete', '--timeout=200s', 'pvc/brief')
  await expect.poll(() => kubectl('get', 'pv', '--no-headers')).not.toContain('agents/brief')
  await apply(run('late', 'true', { type: 'workspace', workspaceName: 'brief' }))
  await finished('late')
  expect(await conditionOf('late', 'Accepted')).toMatchObject({ reason: 'WorkspaceExpired' })
})

test('data survives a restart of the platform', async () => {
  await apply(run('writes', 'echo kept > /v/kept', inCache))
  await finished('writes')
  local.up().child.kill('SIGTERM')
  await local.up().finished
  await local.startAgain('--no-sample')
  await apply(run('after', 'cat /v/kept', inCache))
  await finished('after')
  expect((await local.agentctl('logs', 'after')).stdout).toContain('kept\n')
})
