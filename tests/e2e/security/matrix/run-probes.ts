import type { AnyKind } from '@agents/crd'
import { JobKind, type KubeClient } from '@agents/kube'
import { type Attack, attacks, type Reach } from './attacks.ts'
import {
  allKinds,
  ask,
  exampleOf,
  type MatrixEnvironment,
  marker,
  must,
  others,
  pathOf,
  type Right,
  rights,
  team,
} from './environment.ts'

export interface Row {
  readonly kind: string
  readonly right: Right
  readonly reached: Readonly<Record<Reach | 'namespaces', readonly string[]>>
  /** How many attempts were refused. */
  readonly refused: number
}

/** Tries every attack with every permission, and checks the results. */
export async function runProbes(environment: MatrixEnvironment): Promise<Row[]> {
  const rows: Row[] = []
  const tried: Tried[] = []
  for (const kind of allKinds) {
    for (const right of ['create', 'update, patch'] as const) {
      for (const attack of attacks.filter((one) => one.kind === kind.kind)) {
        tried.push(await tryAttack(environment, kind, right, attack, tried.length))
      }
    }
  }
  await createAgent(environment.admin, 'later', 'shell')
  await must(environment.admin, agentRuns, await honestOf(agentRunKind, 'control'))
  await untilSubmitted(environment.admin, 'control')
  // Gives the controllers time to process all the other objects.
  await new Promise((resolve) => setTimeout(resolve, 15_000))
  const found = await Promise.all(
    tried.map(async (one) => ({ ...one, succeeded: await succeeded(environment.admin, one) })),
  )
  for (const kind of allKinds) {
    for (const right of Object.keys(rights) as Right[]) {
      const own = found.filter((one) => one.object === kind && one.right === right)
      const by = (reach: Reach) =>
        own
          .filter((one) => one.succeeded && one.attack.reach === reach)
          .map(({ attack }) => attack.gives)
      const beyond = await beyondNamespace(environment, kind, right)
      const seen = right === 'get, list, watch' ? await markersSeen(environment, kind) : []
      const lost = right === 'delete' ? await lostByDeletion(environment, kind) : []
      rows.push({
        ...{ kind: kind.kind, right },
        reached: {
          Secrets: [...by('Secrets'), ...seen, ...lost],
          accounts: by('accounts'),
          namespaces: beyond.reached,
          nodes: by('nodes'),
        },
        refused: own.filter((one) => !one.succeeded).length + beyond.refused,
      })
    }
  }
  return rows
}

interface Tried {
  readonly object: AnyKind
  readonly right: Right
  readonly attack: Attack
  readonly name: string
  readonly code: number
}

async function tryAttack(
  { admin, tenant }: MatrixEnvironment,
  object: AnyKind,
  right: 'create' | 'update, patch',
  attack: Attack,
  count: number,
): Promise<Tried> {
  const name = `probe-${count}`
  const client = tenant(object, right)
  const path = pathOf(object, team)
  // A run that waits for its Agent can still be changed before it starts.
  const honest = await honestOf(object, name, right === 'create' ? 'shell' : 'later')
  let code: number
  if (right === 'create') {
    const spec = { ...honest.spec, ...withoutNulls(attack.spec) }
    code = (await ask(client, 'POST', path, { ...honest, spec })).code
  } else {
    await must(admin, path, honest)
    code = (await ask(client, 'PATCH', `${path}/${name}`, { spec: attack.spec })).code
  }
  if (attack.evidence?.of === 'victim' && code < 300) await createVictim(admin, object, name)
  return { object, right, attack, name, code }
}

async function honestOf(kind: AnyKind, name: string, agent = 'shell') {
  const example = await exampleOf(kind, name)
  if (kind.kind === 'Agent') return { ...example, spec: { providerRef: { name: 'shell' } } }
  if (kind.kind !== 'AgentRun') return example
  const implementation = { inline: { text: 'Run.' } }
  const spec = { agentRef: { name: agent }, implementation, runtime: { type: 'job' } }
  return { ...example, spec }
}

const apiVersion = 'agents.proompteng.ai/v1alpha1'
const base = `/apis/${apiVersion}/namespaces/${team}`
const agentRuns = `${base}/agentruns`
const agentRunKind = allKinds.find(({ kind }) => kind === 'AgentRun') as AnyKind

async function createAgent(admin: KubeClient, name: string, provider: string): Promise<void> {
  const spec = { providerRef: { name: provider } }
  await must(admin, `${base}/agents`, { apiVersion, kind: 'Agent', metadata: { name }, spec })
}

/** Another user runs what the tenant has written, with their own Secret. */
async function createVictim(admin: KubeClient, kind: AnyKind, name: string): Promise<void> {
  const metadata = { name: `${name}-victim` }
  if (kind.kind === 'AgentProvider') await createAgent(admin, metadata.name, name)
  const agent = kind.kind === 'AgentProvider' ? metadata.name : name
  const run = await honestOf(agentRunKind, metadata.name, agent)
  await must(admin, agentRuns, { ...run, spec: { ...run.spec, secrets: ['victims'] } })
}

/**
 * Waits for the Job of a valid run, which shows that the controllers work, so that a dash in the matrix is meaningful.
 */
async function untilSubmitted(admin: KubeClient, name: string): Promise<void> {
  for (let tries = 0; tries < 120; tries += 1) {
    const { items } = await admin.list(JobKind, { namespace: team })
    if (items.some(({ metadata }) => metadata.ownerReferences?.some((one) => one.name === name)))
      return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error(`no Job was created for the honest run ${name}`)
}

async function succeeded(admin: KubeClient, { attack, name, code }: Tried): Promise<boolean> {
  if (code >= 300) return false
  const { evidence } = attack
  // The platform acts on an accepted reference, now or once the Secret holds what it expects.
  if (evidence === undefined) return true
  const owner = evidence.of === 'run' ? name : `${name}-victim`
  const { items } = await admin.list(JobKind, {})
  return items
    .filter(({ metadata }) => metadata.ownerReferences?.some((one) => one.name === owner))
    .some(({ spec }) => evidence.shows(JSON.stringify(spec.template.spec)))
}

async function beyondNamespace(environment: MatrixEnvironment, kind: AnyKind, right: Right) {
  if (kind.scope !== 'Namespaced')
    return { reached: ['the cluster: the kind has no namespace'], refused: 0 }
  const client = environment.tenant(kind, right)
  const reached: string[] = []
  let refused = 0
  for (const namespace of others) {
    const path = pathOf(kind, namespace)
    const example = await exampleOf(kind, 'beyond')
    const answers = {
      create: () => ask(client, 'POST', path, example),
      'update, patch': () =>
        ask(client, 'PATCH', `${path}/beyond`, { metadata: { labels: { a: 'b' } } }),
      'get, list, watch': () => ask(client, 'GET', path),
      delete: () => ask(client, 'DELETE', path),
    }
    const { code } = await answers[right]()
    if (code === 403) refused += 1
    else reached.push(`${namespace} (${code})`)
  }
  return { reached, refused }
}

/** Whether the value of a Secret can be read in what the platform writes about objects. */
async function markersSeen(environment: MatrixEnvironment, kind: AnyKind): Promise<string[]> {
  const client = environment.tenant(kind, 'get, list, watch')
  const path = pathOf(kind, team)
  const texts = await Promise.all(
    [path, `${path}/honest`, `${path}?watch=true&timeoutSeconds=1&sendInitialEvents=false`].map(
      (each) => ask(client, 'GET', each),
    ),
  )
  const encoded = Buffer.from(marker).toString('base64')
  const leaks = texts.filter(({ text }) => text.includes(marker) || text.includes(encoded))
  return leaks.length === 0 ? [] : ['values of Secrets, in the object']
}

async function lostByDeletion(environment: MatrixEnvironment, kind: AnyKind): Promise<string[]> {
  const { code } = await ask(
    environment.tenant(kind, 'delete'),
    'DELETE',
    `${pathOf(kind, team)}/doomed`,
  )
  if (code >= 300) throw new Error(`${kind.kind} could not be deleted by who may: ${code}`)
  const kept = [`${team}/secrets/stolen`, `${team}/secrets/victims`, 'other/secrets/stolen']
  const answers = await Promise.all(
    kept.map((each) => ask(environment.admin, 'GET', `/api/v1/namespaces/${each}`)),
  )
  return answers.every((answer) => answer.code === 200) ? [] : ['Secrets are deleted with it']
}

function withoutNulls(spec: object): object {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null))
}
