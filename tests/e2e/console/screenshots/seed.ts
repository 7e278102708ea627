import {
  agentRun,
  approvalPolicy,
  budget,
  orchestration,
  orchestrationRun,
  schedule,
} from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import type { ConsoleBed } from '../console-bed.ts'

/** What a day at work leaves on a platform, in small. */
export async function seed(bed: ConsoleBed): Promise<void> {
  const create = async (
    declared: Parameters<typeof kindRef>[0],
    name: string,
    spec: object,
  ): Promise<void> => {
    const { group, version, kind } = declared
    const metadata = { name, namespace: 'agents' }
    const object = { apiVersion: `${group}/${version}`, kind, metadata, spec }
    await bed.admin.create(kindRef<KubeObject>(declared), object as KubeObject)
  }
  const approvers = [{ kind: 'Group', name: 'database-owners' }]
  await create(approvalPolicy, 'migrations', { approvers })
  await create(budget, 'team', { limits: { tokens: '2000', dollars: '25' }, window: 'day' })
  await create(budget, 'scripted', {
    ...{ limits: { tokens: '1000000' }, onExceeded: 'Warn', window: 'day' },
    scope: { agentRef: { name: 'scripted' } },
  })
  for (const [name, cron] of [
    ['nightly-dependencies', '30 2 * * 1-5'],
    ['weekly-report', '0 7 * * 1'],
  ] as const) {
    const template = { kind: 'AgentRun', spec: runOf('Update the dependencies') }
    await create(schedule, name, { cron, template })
  }
  await create(orchestration, 'release-notes', { steps })
  await create(agentRun, 'fix-login-timeout', runOf('Find why the login times out, and fix it'))
  await create(agentRun, 'bump-dependencies', runOf('Update the dependencies', 'fail'))
  await create(orchestrationRun, 'release-notes-1', { orchestrationRef: { name: 'release-notes' } })
  await create(agentRun, 'update-changelog', runOf('Write what has changed since the last release'))
  await create(agentRun, 'flaky-tests', runOf('Find the tests that fail at times', 'hang'))
  await create(agentRun, 'review-schema', runOf('Review the schema of the orders', 'hang'))
  await create(agentRun, 'drop-column', {
    ...runOf('Drop the column orders.legacy_state, and the code that reads it.'),
    policy: { approvalPolicyRef: { name: 'migrations' } },
  })
  await noteEvents(bed)
  const page = await bed.signIn(undefined, '/runs')
  for (const [name, phase] of [
    ['fix-login-timeout', 'Succeeded'],
    ['bump-dependencies', 'Failed'],
    ['update-changelog', 'Succeeded'],
    ['flaky-tests', 'Running'],
    ['review-schema', 'Running'],
    ['release-notes-1', 'Running'],
  ] as const) {
    const link = page.getByRole('link', { name, exact: true })
    const row = page.getByRole('row').filter({ has: link })
    await row.getByText(phase, { exact: true }).waitFor({ timeout: 120_000 })
  }
  await page.close()
}

const steps = [
  step('plan', []),
  step('changelog', ['plan']),
  step('screenshots', ['plan'], 'hang'),
  step('review', ['changelog', 'screenshots']),
]

function step(name: string, dependsOn: readonly string[], scriptedMode = 'succeed') {
  return {
    ...{ name, kind: 'AgentRun', dependsOn, agentRef: { name: 'scripted' } },
    ...{ implementation: { inline: { text: name } }, with: { scriptedMode } },
  }
}

function runOf(text: string, scriptedMode = 'succeed') {
  return {
    agentRef: { name: 'scripted' },
    implementation: { inline: { text } },
    parameters: { scriptedMode },
    runtime: { type: 'job' },
  }
}

/** The local node reports none. */
async function noteEvents(bed: ConsoleBed): Promise<void> {
  const events = [
    ['Normal', 'ImagePulled', 'the image is on the node', 1],
    ['Warning', 'NodeBusy', 'waited for a slot on the node', 3],
  ] as const
  for (const [type, reason, message, count] of events) {
    await bed.admin.request({
      method: 'POST',
      path: '/api/v1/namespaces/agents/events',
      body: {
        metadata: { name: reason.toLowerCase() },
        involvedObject: { kind: 'AgentRun', namespace: 'agents', name: 'first-run' },
        ...{ type, reason, message, count },
        lastTimestamp: new Date().toISOString().replace(/\.\d+Z/, 'Z'),
      },
    })
  }
}
