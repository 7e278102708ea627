import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  type AgentRun,
  type ApprovalRequest,
  agentRun,
  approvalRequest,
  type OrchestrationRun,
  orchestrationRun,
  unreconciledKinds,
  type VersionControlProvider,
  versionControlProvider,
} from '@agents/jangar-api'
import { JobKind, kindRef, SecretKind } from '@agents/kube'
import { expect } from 'vitest'
import { startTokenService } from '../../../support/agents/token-service.ts'
import { chart } from '../../../support/chart/render.ts'
import type { Release } from './released-processes.ts'

const namespace = 'agents'
const runs = kindRef<AgentRun>(agentRun)
const requests = kindRef<ApprovalRequest>(approvalRequest)
const providers = kindRef<VersionControlProvider>(versionControlProvider)
const pollOptions = { timeout: 180_000, interval: 250 }

function named(kind: string, name: string, spec: object) {
  return {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind,
    metadata: { name, namespace },
    spec,
  }
}

function run(name: string, script: string, more: object = {}) {
  return named('AgentRun', name, {
    agentRef: { name: 'shell' },
    implementation: { inline: { text: 'Run a script.' } },
    runtime: { type: 'job' },
    parameters: { script },
    ...more,
  })
}

function secret(name: string, stringData: object) {
  return {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData },
  }
}

/** Uses each kind that has a controller, and every outcome of a run. */
export async function driveRuns(release: Release): Promise<void> {
  await release.create(
    named('AgentProvider', 'shell', {
      binary: '/bin/sh',
      argsTemplate: ['-c', '{{ inputs.script }}'],
    }),
    named('Agent', 'shell', { providerRef: { name: 'shell' } }),
    named('Agent', 'alone', { providerRef: { name: 'shell' }, defaults: { retryLimit: 0 } }),
    secret('key', { TOKEN: 'a-secret-of-a-run' }),
    {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'prompt', namespace } },
      data: { text: 'Be brief.' },
    },
    named('ImplementationSpec', 'spec', { text: 'Run a script.', source: { provider: 'manual' } }),
    named('ImplementationSource', 'source', {
      provider: 'github',
      auth: { secretRef: { name: 'key', key: 'TOKEN' } },
      webhook: { enabled: true },
    }),
    secret('memory', { url: 'postgres://agents@127.0.0.1:1/memory' }),
    named('Memory', 'memory', {
      type: 'postgres',
      connection: { secretRef: { name: 'memory', key: 'url' } },
    }),
  )
  const workflow = {
    runtime: { type: 'workflow' },
    workflow: { steps: [{ name: 'one', parameters: { script: 'true' } }] },
  }
  const prompted = { systemPromptRef: { kind: 'ConfigMap', name: 'prompt', key: 'text' } }
  const again = { retries: 1, retryBackoffSeconds: 0 }
  // Too large for the annotations of a pod, so that each attempt has a ConfigMap. The node lacks the program that
  // verifies it, so that each attempt fails before the script starts.
  const large = { implementation: { inline: { text: 'x'.repeat(9000) } } }
  await release.create(
    run('succeeds', 'true', prompted),
    run('fails', 'echo $TOKEN; exit 3', { ...again, secrets: ['key'] }),
    run('large', 'true', { ...again, ...large }),
    run('times-out', 'sleep 600', { timeoutSeconds: 1 }),
    run('steps', '', workflow),
    run('cancelled', 'sleep 600'),
    run('deleted', 'sleep 600'),
    run('robbed', 'sleep 600'),
    run('forgotten', 'true', { ttlSecondsAfterFinished: 1 }),
    everyMinute(),
    graph('graph', { name: 'work', kind: 'ToolRun', toolRef: { name: 'true' } }),
    graph('sleeper', sleeping()),
    graph('outer', {
      ...{ name: 'sub', kind: 'SubOrchestration', orchestrationRef: { name: 'sleeper' } },
    }),
    graphRun('graph', { ttlSecondsAfterFinished: 1 }),
    graphRun('outer'),
    tool('Tool', { image: 'local', command: ['/bin/true'] }),
    tool('ToolRun', { toolRef: { name: 'true' }, ttlSecondsAfterFinished: 1 }),
  )
  const output = async (name: string, type: string): Promise<string | undefined> => {
    const { status } = await release.client.get(runs, { namespace, name })
    const found = status?.conditions?.find((one) => one.type === type)
    return found && `${found.status}/${found.reason}`
  }
  const begun = (name: string) =>
    expect.poll(() => output(name, 'Started'), pollOptions).toBe('True/Started')
  for (const name of ['cancelled', 'deleted', 'robbed']) await begun(name)
  const cancel = { type: 'merge', body: { spec: { cancel: true } } } as const
  await release.client.patch(runs, { namespace, name: 'cancelled' }, cancel)
  await release.kubectl(['delete', 'agentrun', 'deleted', '--timeout=180s'])
  const background = { propagationPolicy: 'Background' } as const
  await release.client.delete(JobKind, { namespace, name: 'robbed-job' }, background)
  const ends = {
    succeeds: 'True/Succeeded',
    steps: 'True/Succeeded',
    fails: 'False/RetriesExhausted',
    large: 'False/RetriesExhausted',
    'times-out': 'False/TimedOut',
    cancelled: 'False/Cancelled',
    robbed: 'False/JobMissing',
  }
  for (const [name, end] of Object.entries(ends)) {
    await expect.poll(() => output(name, 'Succeeded'), { ...pollOptions, message: name }).toBe(end)
  }
  await release.kubectl(['wait', '--for=delete', 'agentrun/forgotten', '--timeout=180s'])
  await release.kubectl([
    'wait',
    'schedule/tick',
    '--for=jsonpath={.status.lastRunTime}',
    '--timeout=180s',
  ])
  await deliver(release)
  await expire(release)
  await release.kubectl(['wait', '--for=delete', 'orchestrationrun/graph', '--timeout=180s'])
  const started = ['wait', '--all', '--for=condition=Started', '--timeout=180s']
  await release.kubectl([...started, 'orchestrationruns'])
  await expect.poll(async () => (await graphRuns(release)).length, pollOptions).toBe(2)
  await release.kubectl([...started, 'orchestrationruns'])
  await release.kubectl(['patch', 'orchestrationrun', 'outer', '--type=merge', '-p', stop])
  const over = ['wait', '--all', '--for=condition=Finished', '--timeout=180s']
  await release.kubectl([...over, 'orchestrationruns'])
  await release.kubectl(['wait', '--for=delete', 'toolrun/true', '--timeout=180s'])
  await askForApproval(release)
  await driveSamples(release)
  await driveUnreconciled(release)
  await importIssues(release)
  await tellTwice(release)
  await mintTokens(release)
}

const stop = JSON.stringify({ spec: { cancel: true } })

async function graphRuns({ client }: Release): Promise<OrchestrationRun[]> {
  const { items } = await client.list(kindRef<OrchestrationRun>(orchestrationRun), { namespace })
  return items
}

function orchestrated(kind: string, name: string, spec: object) {
  const apiVersion = 'orchestration.proompteng.ai/v1alpha1'
  return { apiVersion, kind, metadata: { name, namespace }, spec }
}

function graph(name: string, step: object) {
  return orchestrated('Orchestration', name, { steps: [step] })
}

function graphRun(name: string, more: object = {}) {
  return orchestrated('OrchestrationRun', name, { orchestrationRef: { name }, ...more })
}

function sleeping() {
  const { agentRef, implementation } = run('', '').spec as Record<string, object>
  return {
    name: 'sleep',
    kind: 'AgentRun',
    agentRef,
    implementation,
    with: { script: 'sleep 600' },
  }
}

function tool(kind: string, spec: object) {
  const apiVersion = 'tools.proompteng.ai/v1alpha1'
  return { apiVersion, kind, metadata: { name: 'true', namespace }, spec }
}

function everyMinute() {
  const { kind, spec } = run('scheduled', 'true')
  return {
    apiVersion: 'schedules.proompteng.ai/v1alpha1',
    kind: 'Schedule',
    metadata: { name: 'tick', namespace },
    spec: { cron: '* * * * *', template: { kind, spec } },
  }
}

/** A delivery that is accepted, and deleted after its time. */
async function deliver({ kubectl }: Release): Promise<void> {
  for (const kind of ['signal', 'signaldelivery']) {
    await kubectl(['create', '--filename', join(chart, 'examples', `${kind}-sample.yaml`)])
  }
  const wait = ['wait', '--timeout=180s']
  await kubectl([...wait, 'signal/sample', '--for=jsonpath={.status.lastDeliveryAt}'])
  await kubectl([...wait, 'signaldelivery/sample', '--for=delete'])
}

/** A Workspace whose claim is created, and deleted after its time. */
async function expire({ kubectl, create }: Release): Promise<void> {
  await create({
    apiVersion: 'workspaces.proompteng.ai/v1alpha1',
    kind: 'Workspace',
    metadata: { name: 'brief', namespace },
    spec: { size: '1Gi', ttlSeconds: 1 },
  })
  const wait = ['wait', '--timeout=180s']
  await kubectl([...wait, 'workspace/brief', '--for=jsonpath={.status.phase}=Expired'])
  await kubectl([...wait, 'pvc/brief', '--for=delete'])
}

/** A run that waits for an approval, a decision that does not count, and the end of both. */
async function askForApproval({ kubectl, create, client }: Release): Promise<void> {
  const approval = (kind: string, name: string, spec: object) => ({
    ...{ apiVersion: 'approvals.proompteng.ai/v1alpha1', kind },
    ...{ metadata: { name, namespace }, spec },
  })
  const approvers = [{ kind: 'User', name: 'nobody' }]
  const policy = { approvalPolicyRef: { name: 'people' } }
  await create(approval('ApprovalPolicy', 'people', { approvers, allowSelfApproval: true }))
  await create(run('waiting', 'true', { policy }))
  const wait = ['wait', '--timeout=180s', '--all']
  await expect
    .poll(async () => (await client.list(requests, { namespace })).items.length, pollOptions)
    .toBe(1)
  await kubectl([...wait, 'approvalrequests', '--for=condition=Accepted'])
  const { username = '' } = await client.whoAmI()
  const [request] = (await client.list(requests, { namespace })).items
  const requestRef = { name: request?.metadata.name }
  const decision = { requestRef, digest: '0'.repeat(64), decision: 'Approve' }
  await create(approval('ApprovalDecision', 'other', { ...decision, approver: { username } }))
  await kubectl([...wait, 'approvaldecisions', '--for=condition=Finished'])
  await kubectl(['patch', 'agentrun', 'waiting', '--type=merge', '-p', stop])
  await kubectl([...wait, 'approvalrequests', '--for=condition=Finished'])
}

/** An issue that is listed, and listed again after a change. */
async function importIssues({ kubectl, create }: Release): Promise<void> {
  let title = 'Before'
  const stub = createServer((_request, response) => {
    const issue = {
      ...{ number: 1, title, body: 'x', state: 'open', labels: [], user: { login: 'author' } },
      ...{ html_url: 'https://git.test/o/r/issues/1', updated_at: '2026-11-17T08:00:00Z' },
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify([issue]))
  })
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`
  const auth = { token: { secretRef: { name: 'key', key: 'TOKEN' } } }
  await create(
    named('VersionControlProvider', 'tea', { provider: 'gitea', cloneBaseUrl: url, auth }),
    named('ImplementationSource', 'listed', {
      provider: 'gitea',
      auth: { secretRef: { name: 'key', key: 'TOKEN' } },
      ...{ vcsRef: { name: 'tea' }, scope: { repository: 'o/r' } },
    }),
  )
  const summary = async (): Promise<string> =>
    await kubectl(['get', 'implementationspecs', '-o', 'jsonpath={.items[*].spec.summary}'])
  await expect.poll(summary, pollOptions).toContain('Before')
  title = 'After'
  const asked = 'agents.proompteng.ai/sync-requested=again'
  await kubectl(['annotate', 'implementationsource', 'listed', asked])
  await expect.poll(summary, pollOptions).toContain('After')
  stub.close()
}

/** An object of each kind that nothing above uses. */
async function driveSamples({ kubectl }: Release): Promise<void> {
  const observed = ['--for=jsonpath={.status.observedGeneration}=1', '--timeout=180s']
  for (const kind of ['artifact', 'budget', 'secretbinding']) {
    await kubectl(['create', '--filename', join(chart, 'examples', `${kind}-sample.yaml`)])
    await kubectl(['wait', `${kind}/sample`, ...observed])
  }
}

/** An object of each kind that no controller reconciles, whose status says so. */
async function driveUnreconciled({ kubectl }: Release): Promise<void> {
  const examples = join(chart, 'examples')
  for (const { kind, plural, group, summary } of unreconciledKinds) {
    await kubectl(['create', '--filename', join(examples, `${kind.toLowerCase()}-sample.yaml`)])
    const status = summary === 'Ready' ? 'False' : 'Unknown'
    const wait = ['wait', '--all', `--for=condition=${summary}=${status}`, '--timeout=180s']
    await kubectl([...wait, `${plural}.${group}`])
  }
}

/** A repeated event is counted, which needs another permission. */
async function tellTwice({ kubectl, create }: Release): Promise<void> {
  const provider = named('AgentProvider', 'passing', { binary: '/bin/true' })
  await create(named('Agent', 'dependent', { providerRef: { name: 'passing' } }))
  const wait = ['wait', 'agent/dependent', '--timeout=180s']
  for (let times = 0; times < 3; times += 1) {
    await kubectl([...wait, '--for=condition=Ready=false'])
    await create(provider)
    await kubectl([...wait, '--for=condition=Ready=true'])
    await kubectl(['delete', 'agentprovider', 'passing'])
  }
}

/** A token that is issued, replaced, and no longer needed. */
async function mintTokens({ client, create }: Release): Promise<void> {
  const service = await startTokenService()
  await create(secret('app', { privateKey: service.privateKey, token: 'given' }))
  const app = { appId: 7, installationId: 8, privateKeySecretRef: { name: 'app' } }
  const spec = { provider: 'github', apiBaseUrl: service.url, auth: { app } }
  await create(named('VersionControlProvider', 'hub', spec))
  await expect.poll(() => service.issued.length, pollOptions).toBe(1)
  const kept = async () => {
    const { items } = await client.list(SecretKind, { namespace })
    return items.filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === 'hub')
  }
  await expect.poll(async () => (await kept()).length, pollOptions).toBe(1)
  // The key changes: the token that was issued for the old one is replaced in the Secret.
  const touched = { type: 'merge', body: { stringData: { more: 'x' } } } as const
  await client.patch(SecretKind, { namespace, name: 'app' }, touched)
  await expect.poll(() => service.issued.length, pollOptions).toBe(2)
  const auth = { app: null, token: { secretRef: { name: 'app' } } }
  const body = { spec: { auth } }
  await client.patch(providers, { namespace, name: 'hub' }, { type: 'merge', body })
  await expect.poll(async () => (await kept()).length, pollOptions).toBe(0)
}
