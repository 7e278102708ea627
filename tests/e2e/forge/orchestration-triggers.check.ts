import { type OrchestrationRun, orchestration, orchestrationRun } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runKind } from '../../support/run-platform/run-platform.ts'
import { until } from '../../support/testbed/until.ts'
import {
  type GitlabBed,
  maintainer,
  owner,
  reporter,
  repository,
  startGitlabBed,
  type User,
} from './gitlab-bed.ts'
import { type SourceBed, sourceKind } from './source-bed.ts'

const namespace = 'orchestration-triggers'
const patience = { timeoutMs: 60_000, everyMs: 100 }
const graphKind = kindRef<OrchestrationRun>(orchestrationRun)
const triggerAnnotation = 'agents.proompteng.ai/trigger'

let gitlab: GitlabBed
let bed: SourceBed

/** `graph` ends at once, `missing` does not exist, so that its runs wait. */
function graphTemplate(name: 'graph' | 'missing') {
  const parameters = {
    ...{ subject: '#{{ event.number }} {{ event.title }}', said: '{{ event.text }}' },
    ...{ repository: '{{ event.repository }}', fixed: '{{ steps.note }}' },
  }
  return { kind: 'OrchestrationRun', spec: { orchestrationRef: { name }, parameters } }
}

const agentTemplate = {
  spec: {
    ...{ agentRef: { name: 'coder' }, runtime: { type: 'job' } },
    parameters: { by: '{{ event.actor }}' },
    implementation: { inline: { text: 'Only plan this:\n\n{{ event.body }}' } },
  },
}

beforeAll(async () => {
  gitlab = await startGitlabBed(namespace)
  bed = gitlab.bed
  await bed.client.create(kindRef(orchestration), {
    metadata: { name: 'graph', namespace },
    spec: {
      steps: [
        { name: 'note', kind: 'Checkpoint', with: { noted: '{{ parameters.subject }}' } },
        {
          ...{ name: 'said', kind: 'Checkpoint', dependsOn: ['note'] },
          with: { again: '{{ steps.note.outputs.noted }}', fixed: '{{ parameters.fixed }}' },
        },
      ],
    },
  } as never)
  const command = (name: string, concurrency: string, template: object) => ({
    ...{ name, event: 'Command', command: `/agent ${name}`, concurrency, template },
  })
  await gitlab.source({
    ...{ onClosed: 'Cancel', report: { comment: true } },
    triggers: [
      command('graph', 'Replace', graphTemplate('graph')),
      command('queue', 'Queue', graphTemplate('missing')),
      command('skip', 'Skip', graphTemplate('missing')),
      command('instead', 'Replace', graphTemplate('missing')),
      command('plan', 'Skip', agentTemplate),
      command('bad', 'Replace', {
        kind: 'OrchestrationRun',
        spec: { orchestrationRef: { name: 'x{{ event.text }}' } },
      }),
    ],
  })
})

afterAll(() => gitlab?.stop())

let issues = 0

function addIssue(title = 'Fix it'): number {
  issues += 1
  titles.set(issues, title)
  return issues
}

const titles = new Map<number, string>()

async function comment(by: User, number: number, body: string): Promise<void> {
  const issue = { title: titles.get(number) }
  expect(await gitlab.comment(by, number, body, {}, issue)).toBe(202)
}

/** The runs of an issue, of both kinds, by the trigger that started them; cancelled ones have a minus. */
async function started(number: number): Promise<readonly string[]> {
  const spec = (await bed.specOf('issues', `${repository}#${number}`)) ?? ''
  const labelSelector = `agents.proompteng.ai/implementation-spec=${spec}`
  const lists = await Promise.all(
    [runKind, graphKind].map((kind) =>
      bed.client.list(kind as typeof graphKind, { namespace, labelSelector }),
    ),
  )
  return lists
    .flatMap(({ items }) => items)
    .map(
      ({ metadata, spec }) =>
        `${spec.cancel === true ? '-' : ''}${metadata.annotations?.[triggerAnnotation]}`,
    )
    .toSorted()
}

async function become(number: number, expected: readonly string[]): Promise<void> {
  let last: readonly string[] = []
  await until(
    async () => {
      last = await started(number)
      return JSON.stringify(last) === JSON.stringify(expected)
    },
    `#${number} never had ${expected.join()}`,
    patience,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${last.join()}`)
  })
}

async function graphRuns(number: number): Promise<readonly OrchestrationRun[]> {
  const { items } = await bed.client.list(graphKind, { namespace })
  return items.filter(({ spec }) => spec.parameters?.subject?.startsWith(`#${number} `))
}

async function isIdle(): Promise<boolean> {
  const inbox = bed.inbox().select('id')
  return (await inbox.where('state', '=', 'waiting').execute()).length === 0
}

describe('an OrchestrationRun of an event', () => {
  test('has what others wrote as text, in its parameters and in its steps', async () => {
    const hostile = '{{ event.body }} {{ steps.note.outputs.noted }} $(id)'
    const number = addIssue(hostile)
    await comment(maintainer, number, '/agent graph {{ parameters.fixed }}')
    await become(number, ['graph'])
    const [run] = await graphRuns(number)
    expect(run?.spec).toEqual({
      orchestrationRef: { name: 'graph' },
      parameters: {
        ...{ subject: `#${number} ${hostile}`, said: '{{ parameters.fixed }}', repository },
        fixed: '{{ steps.note }}',
      },
    })
    expect(run?.metadata.annotations).toMatchObject({
      'agents.proompteng.ai/triggered-by': 'gitlab:maintainer',
    })
    const name = run?.metadata.name ?? ''
    await until(
      async () =>
        (await bed.client.get(graphKind, { namespace, name })).status?.phase === 'Succeeded',
      'the run does not end',
      patience,
    )
    const { status } = await bed.client.get(graphKind, { namespace, name })
    expect(status?.stepStatuses?.map(({ outputs }) => outputs)).toEqual([
      { noted: `#${number} ${hostile}` },
      { again: `#${number} ${hostile}`, fixed: '{{ steps.note }}' },
    ])
  })

  test('is started once for a comment, and not by people who may not write', async () => {
    const number = addIssue()
    await comment(reporter, number, '/agent graph')
    await comment(maintainer, number, '/agent graph')
    await become(number, ['graph'])
    await bed.restartControllers()
    await comment(owner, number, '/thanks')
    await until(isIdle, 'not processed', patience)
    expect(await started(number)).toEqual(['graph'])
    expect((await bed.events('TriggerRefused')).join()).toContain(
      'reporter has the permission read',
    )
  })

  test('waits for, gives way to or replaces runs of either kind', async () => {
    const number = addIssue()
    await comment(maintainer, number, '/agent plan')
    await become(number, ['plan'])
    await comment(maintainer, number, '/agent skip')
    await comment(maintainer, number, '/agent instead')
    await become(number, ['-plan', 'instead'])
    await comment(maintainer, number, '/agent plan')
    await comment(maintainer, number, '/agent queue')
    const held = bed.inbox().select('id').where('state', '=', 'waiting')
    const isHeld = async () =>
      (
        await held
          .where('error', 'like', 'OrchestrationRun % is active for the same issue')
          .execute()
      ).length === 1
    await until(isHeld, 'nothing waits', patience)
    expect(await started(number)).toEqual(['-plan', 'instead'])
    const [active] = (await graphRuns(number)).filter(({ spec }) => spec.cancel !== true)
    const patch = { type: 'merge', body: { spec: { cancel: true } } } as const
    await bed.client.patch(graphKind, active?.metadata ?? { name: '' }, patch)
    await become(number, ['-instead', '-plan', 'queue'])
  })

  test('is cancelled with its issue, and named in the report', async () => {
    const number = addIssue()
    await comment(maintainer, number, '/agent queue')
    await become(number, ['queue'])
    const comments = () => gitlab.notes.get(String(number)) ?? []
    const [run] = await graphRuns(number)
    const shown = `${namespace}/${run?.metadata.name}\` | \`missing\` | `
    const hasReport = (state: string) => async () =>
      comments().some(({ body }) => body.includes(`${shown}${state}`))
    await until(hasReport('queued'), 'no report', patience)
    expect(await gitlab.close(owner, number)).toBe(202)
    await become(number, ['-queue'])
    await until(hasReport('cancelled'), 'the report does not follow', patience)
    const reports = comments().filter(({ body }) => body.includes('agents:report'))
    expect(reports).toHaveLength(1)
  })
})

test('an AgentRun of an event can have another text than the issue', async () => {
  const number = addIssue()
  await comment(maintainer, number, '/agent plan nothing else')
  await become(number, ['plan'])
  const { items } = await bed.client.list(runKind, { namespace })
  const run = items.find(
    ({ spec }) => spec.implementation?.inline.source?.externalId === `${repository}#${number}`,
  )
  expect(run?.spec).toMatchObject({
    parameters: { by: 'maintainer', repository, issueNumber: String(number) },
    implementation: {
      inline: {
        ...{ summary: 'Fix it', source: { externalId: `${repository}#${number}` } },
        text: `Only plan this:\n\nIt is broken.\n\n---\n\nInstructions of maintainer on issue #${number}:\n\nnothing else`,
      },
    },
  })
})

test('an event that would decide a name starts nothing, and the source says why', async () => {
  const number = addIssue()
  await comment(maintainer, number, '/agent bad graph')
  const why = 'spec.triggers[bad].template.spec.orchestrationRef.name: an event may only be used in'
  await until(
    async () => (await bed.events('TriggerRefused')).join().includes(why),
    'not refused',
    patience,
  )
  expect(await started(number)).toEqual([])
  const { status } = await bed.client.get(sourceKind, { namespace, name: 'issues' })
  expect(status?.conditions?.find(({ type }) => type === 'Validated')).toMatchObject({
    ...{ status: 'False', reason: 'TemplateInvalid', message: expect.stringContaining(why) },
  })
})
