import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AgentRun,
  type ApprovalDecision,
  type ApprovalRequest,
  agentRun,
  approvalDecision,
  approvalRequest,
  type OrchestrationRun,
  orchestrationRun,
  type Schedule,
  schedule,
  signalDelivery,
  type ToolRun,
  toolRun,
} from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createNamespace } from '../../support/testbed/server.ts'
import { serversOfTier } from '../../support/testbed/servers-of-tier.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'
import { runTool, type ToolResult } from '../../support/tools/run-tool.ts'
import { type GuardedRemote, startGuardedRemote } from '../security/guarded-remote.ts'
import { type Platform, platforms } from './platform.ts'

const folder = join(import.meta.dirname, '../../../charts/agents/examples')
const agents = ['agentprovider-scripted.yaml', 'agent-scripted.yaml']
const token = 'token-of-the-merge'
/** The user that the policy of the change names, beside the administrator who starts it. */
const approver = { user: 'approver', token: 'token-of-the-approver' }
const orchestrationRuns = kindRef<OrchestrationRun>(orchestrationRun)

const servers = await serversOfTier()

describe.each(servers)('on the %s server', (name) => {
  let platform: Platform
  let repositories: string
  let remote: GuardedRemote

  beforeAll(async () => {
    platform = await platforms[name]([], {}, { users: [approver] })
    repositories = await mkdtemp(join(tmpdir(), 'agents-change-'))
    await chmod(repositories, 0o755)
    remote = await startGuardedRemote(repositories, token)
  })

  afterAll(async () => {
    remote?.stop()
    await platform?.stop()
    if (repositories !== undefined) await rm(repositories, { recursive: true, force: true })
  })

  const kubectl = (namespace: string, args: string[], input?: string): Promise<ToolResult> =>
    runTool(['kubectl', '1.36'], ['-n', namespace, ...args], {
      kubeconfig: platform.kubeconfig,
      timeoutMs: 400_000,
      ...(input !== undefined && { stdin: input }),
    })

  /** Applies examples, with texts replaced that the reader has to replace, too. */
  async function apply(
    namespace: string,
    files: readonly string[],
    replaced: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    await createNamespace(platform.client, namespace)
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
    let text = texts.join('\n---\n')
    for (const [before, after] of Object.entries(replaced)) {
      expect(text).toContain(before)
      text = text.replaceAll(before, after)
    }
    const applied = await kubectl(namespace, ['apply', '-f', '-'], text)
    expect(applied).toMatchObject({ code: 0, stderr: '' })
  }

  async function finished(namespace: string, run: string): Promise<OrchestrationRun> {
    const args = ['wait', '--for=condition=Finished', `orchestrationrun/${run}`, '--timeout=300s']
    expect(await kubectl(namespace, args)).toMatchObject({ code: 0 })
    return platform.client.get(orchestrationRuns, { namespace, name: run })
  }

  /** Lets the approver decide, once there is something to decide about. */
  async function approve(namespace: string): Promise<ApprovalRequest> {
    const groups = 'approvals.proompteng.ai'
    const roles = { reads: 'get,list', decides: 'create' }
    for (const [role, verbs] of Object.entries(roles)) {
      const resource = role === 'reads' ? 'approvalrequests' : 'approvaldecisions'
      const may = [`--verb=${verbs}`, `--resource=${resource}.${groups}`]
      expect(await kubectl(namespace, ['create', 'role', role, ...may])).toMatchObject({ code: 0 })
      const binding = [role, `--role=${role}`, `--user=${approver.user}`]
      const bound = await kubectl(namespace, ['create', 'rolebinding', ...binding])
      expect(bound).toMatchObject({ code: 0 })
    }
    const client = platform.connect(approver.token)
    const request = await until(async () => {
      // The rights take effect after a moment.
      const found = await client
        .list(kindRef<ApprovalRequest>(approvalRequest), { namespace })
        .catch(() => undefined)
      return found?.items.find(({ status }) => status?.finishedAt === undefined)
    })
    await client.create(kindRef<ApprovalDecision>(approvalDecision), {
      metadata: { name: 'yes', namespace },
      spec: {
        requestRef: { name: request.metadata.name },
        digest: request.spec.digest,
        decision: 'Approve',
        comment: 'as reviewed',
        approver: { username: approver.user },
      },
    } as never)
    return request
  }

  test('a change is planned, implemented in parts, reviewed, approved and merged', async () => {
    const namespace = 'change'
    await apply(
      namespace,
      [...agents, 'versioncontrolprovider-github.yaml', 'orchestration-change.yaml'],
      {
        'provider: github': `provider: generic\n  cloneBaseUrl: ${remote.url}`,
        'type: fine_grained': 'type: access_token',
        'pullRequests: true': 'pullRequests: false',
        'replace-me': token,
        'method: token': 'method: token\n    username: x-access-token',
        '- example-org/*': '- owner/*',
        'example-org/calculator': 'owner/app',
        'https://github.com/owner/app.git': `${remote.url}/owner/app.git`,
      },
    )
    const untilRunning = (step: string) =>
      until(async () => {
        const run = await platform.client.get(orchestrationRuns, { namespace, name: 'change' })
        expect(run.status?.phase).not.toBe('Failed')
        return stepsOf(run)[step] === 'Running' ? run : undefined
      })
    const waiting = await untilRunning('approve')
    expect(stepsOf(waiting)).toMatchObject({ implement: 'Succeeded', merge: 'Pending' })
    const { spec } = await approve(namespace)
    expect(spec).toMatchObject({
      subject: { name: 'change', step: 'approve' },
      requestedBy: 'admin',
    })
    const commits = outputsOf(waiting, 'implement').commit as string[]
    expect(commits).toHaveLength(3)
    for (const commit of commits) expect(spec.summary).toContain(commit)
    await untilRunning('merge')
    // The reader creates the Secret; the tool waits for it.
    const literal = `--from-literal=token=${token}`
    await kubectl(namespace, ['create', 'secret', 'generic', 'change-merge', literal])
    const run = await finished(namespace, 'change')
    expect(stepsOf(run)).toEqual({
      plan: 'Succeeded',
      implement: 'Succeeded',
      review: 'Succeeded',
      approve: 'Succeeded',
      merge: 'Succeeded',
    })
    expect(run.status?.outputs).toEqual({
      verdict: 'accept',
      parts: '["parser", "printer", "solver"]',
    })
    expect(outputsOf(run, 'approve')).toEqual({
      decision: 'Approved',
      decidedBy: approver.user,
      comment: 'as reviewed',
    })
    const bare = join(repositories, 'owner/app.git')
    const git = (...args: string[]) => execFileSync('git', args, { cwd: bare, encoding: 'utf8' })
    expect(git('ls-tree', '--name-only', 'main').split('\n').toSorted()).toEqual(
      ['', 'README.md', 'parser.md', 'printer.md', 'solver.md'].toSorted(),
    )
    expect(git('log', '--merges', '--format=%an', 'main')).toBe('Merge Tool\n'.repeat(3))
    expect(git('log', '--merges', '--format=%P', 'main').trim().split(/\s+/)).toEqual(
      expect.arrayContaining(commits),
    )
    expect(remote.branches()).toHaveLength(4)
  })

  test('an incident is handled when its alert comes', async () => {
    const namespace = 'incident'
    await apply(namespace, [...agents, 'orchestration-incident.yaml'])
    await until(async () => {
      const run = await platform.client.get(orchestrationRuns, { namespace, name: 'incident' })
      return stepsOf(run).alert === 'Running'
    })
    const deliver = (service: string) =>
      platform.client.create(kindRef(signalDelivery), {
        metadata: { name: `of-${service}`, namespace },
        spec: {
          signalRef: { name: 'alert' },
          payload: { service, severity: 'critical', summary: 'Checkout fails' },
        },
      } as never)
    await deliver('another')
    const accepted = ['wait', '--for=condition=Succeeded', 'signaldelivery/of-another']
    expect(await kubectl(namespace, [...accepted, '--timeout=200s'])).toMatchObject({ code: 0 })
    const waiting = await platform.client.get(orchestrationRuns, { namespace, name: 'incident' })
    expect(stepsOf(waiting).alert).toBe('Running')
    await deliver('shop')
    const run = await finished(namespace, 'incident')
    expect(stepsOf(run)).toEqual({
      alert: 'Succeeded',
      investigate: 'Succeeded',
      rollback: 'Succeeded',
      report: 'Succeeded',
    })
    expect(run.status?.outputs).toEqual({ severity: 'critical' })
    const { items } = await platform.client.list(kindRef<ToolRun>(toolRun), { namespace })
    const outputs = items.map(({ spec, status }) => [spec.toolRef?.name, status?.outputs])
    expect(Object.fromEntries(outputs)).toMatchObject({
      'incident-rollback': { state: 'rolled back' },
    })
  })

  test('a run finds what an earlier one noted, and resumes without noting it again', async () => {
    const namespace = 'remember'
    const postgres = await startPostgres({ directory: join(repositories, name), log: silentLogger })
    onTestFinished(() => postgres.stop())
    await apply(namespace, [...agents, 'memory-sample.yaml', 'orchestration-memory.yaml'], {
      'postgres://agents@127.0.0.1:5432/memory': postgres.url,
    })
    const steps = { recall: 'Succeeded', work: 'Succeeded', note: 'Succeeded' }
    const first = await finished(namespace, 'remember')
    expect(stepsOf(first), JSON.stringify(first.status?.stepStatuses)).toEqual(steps)
    expect(first.status?.outputs).toEqual({ notes: '[]' })
    const start = (run: string, spec: object) =>
      platform.client.create(orchestrationRuns, {
        metadata: { name: run, namespace },
        spec: { ...first.spec, ...spec },
      } as never)
    await start('again', {})
    const again = await finished(namespace, 'again')
    expect(stepsOf(again)).toEqual(steps)
    const note = { key: 'remember', value: 'remember worked on parsers' }
    expect(outputsOf(again, 'recall')).toEqual({ count: 1, entries: [note], omitted: 0 })
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    onTestFinished(() => client.end())
    const entries = async () =>
      (await client.query('select dataset, key from agents_memory order by key')).rows
    const noted = ['again', 'remember'].map((key) => ({ dataset: 'remember/sample', key }))
    expect(await entries()).toEqual(noted)
    const { items: before } = await platform.client.list(kindRef<ToolRun>(toolRun), { namespace })
    // What a database holds is no input: a step that succeeded is taken over with what it found.
    await start('resumed', { resumeFrom: { name: 'again', steps: ['note'] } })
    const resumed = await finished(namespace, 'resumed')
    expect(resumed.status?.stepStatuses).toMatchObject([
      { name: 'recall', reason: 'Reused', outputs: { count: 1 } },
      { name: 'work', reason: 'Reused' },
      { name: 'note', phase: 'Succeeded', outputs: { key: 'resumed' } },
    ])
    const { items: after } = await platform.client.list(kindRef<ToolRun>(toolRun), { namespace })
    expect(after.length - before.length).toBe(1)
    expect(await entries()).toHaveLength(3)
    const text = JSON.stringify([after, (await platform.client.list(orchestrationRuns)).items])
    expect(text).not.toContain(new URL(postgres.url).password)
  })

  describe('maintenance', () => {
    const namespace = 'maintenance'
    const schedules = kindRef<Schedule>(schedule)
    const key = { namespace, name: 'maintenance' }

    beforeAll(() => apply(namespace, [...agents, 'schedule-maintenance.yaml']))

    test('is scheduled', async () => {
      const ready = ['wait', '--for=condition=Ready', 'schedule/maintenance', '--timeout=200s']
      expect(await kubectl(namespace, ready)).toMatchObject({ code: 0 })
      const { status } = await platform.client.get(schedules, key)
      expect(status?.nextRunTime).toMatch(/T0[01]:30:00Z$/)
    })

    // No Schedule is due before the next minute begins.
    if (!isFull) return
    test('runs when it is due', async () => {
      // Nobody waits for half past two.
      const body = { spec: { cron: '* * * * *' } }
      await platform.client.patch(schedules, key, { type: 'merge', body })
      const last = await until(async () => {
        const { status: now } = await platform.client.get(schedules, key)
        return now?.lastRunRef?.name
      })
      await platform.client.patch(schedules, key, {
        type: 'merge',
        body: { spec: { suspend: true } },
      })
      const args = ['wait', '--for=condition=Finished', `agentrun/${last}`, '--timeout=300s']
      expect(await kubectl(namespace, args)).toMatchObject({ code: 0 })
      const run = await platform.client.get(kindRef<AgentRun>(agentRun), { namespace, name: last })
      expect(run.status).toMatchObject({ phase: 'Succeeded' })
      expect(run.metadata.labels).toMatchObject({ purpose: 'maintenance' })
    })
  })
})

function stepsOf({ status }: OrchestrationRun): Record<string, string | undefined> {
  return Object.fromEntries((status?.stepStatuses ?? []).map(({ name, phase }) => [name, phase]))
}

function outputsOf({ status }: OrchestrationRun, step: string): Readonly<Record<string, unknown>> {
  return status?.stepStatuses?.find(({ name }) => name === step)?.outputs ?? {}
}
