/**
 * Measures what the policies of a namespace cost one run: CPU time of asking the SecretBindings for its Secret and all
 * Budgets before it starts, and the Budgets again while it runs. The caches are those of the controllers, filled from
 * an embedded API server.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { systemClock } from '@agents/controller'
import { type AgentRun, type Budget, budget, kinds, secretBinding } from '@agents/jangar-api'
import { createInformers, createKubeClient, type KubeClient, kindRef } from '@agents/kube'
import { agentRunWork } from '../../services/jangar/src/server/agents-controller/agent-run/agent-run-work.ts'
import { BudgetBook } from '../../services/jangar/src/server/budgets/budget-book.ts'
import { Prices } from '../../services/jangar/src/server/budgets/prices.ts'
import { budgetCaches } from '../../services/jangar/src/server/caches/budget-caches.ts'
import { secretBindingsCache } from '../../services/jangar/src/server/caches/secret-bindings-cache.ts'
import { toolRunWork } from '../../services/jangar/src/server/orchestration-controller/tool-run/tool-run-work.ts'
import { secretBindingRule } from '../../services/jangar/src/server/primitives-policy/secret-bindings.ts'
import { startEmbeddedServer } from '../support/testbed/embedded-server.ts'
import { connectionTo, createNamespace, installKinds } from '../support/testbed/server.ts'

const namespace = 'team'
const namespaces = [namespace]
const goalMs = 0.2
/** Budgets and bindings that concern every run of the namespace. */
const shared = 10

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      budgets: { type: 'string', default: '100' },
      bindings: { type: 'string', default: '1000' },
      runs: { type: 'string', default: '2000' },
    },
  })
  const [budgets, bindings, runs] = [values.budgets, values.bindings, values.runs].map(Number)
  const server = await startEmbeddedServer()
  const client = createKubeClient(connectionTo(server.url, server.caPem, server.adminToken))
  try {
    await installKinds(client, kinds)
    await createNamespace(client, namespace)
    await createPolicies(client, budgets ?? 0, bindings ?? 0)
    const evaluate = await startEvaluation(client, budgets ?? 0, bindings ?? 0)
    report(evaluate, runs ?? 0, `${budgets} Budgets and ${bindings} SecretBindings`)
  } finally {
    client.close()
    await server.stop()
  }
}

function report(evaluate: (run: AgentRun) => void, count: number, what: string): void {
  const rounds = Array.from({ length: 5 }, (_, round) => {
    const objects = Array.from({ length: count }, (_one, at) => runOf(`run-${round}-${at}`))
    globalThis.gc?.()
    const before = process.cpuUsage()
    for (const object of objects) evaluate(object)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / count
  })
  // The first round compiles.
  const [low = 0, ...rest] = rounds.slice(1).toSorted((a, b) => a - b)
  const high = rest.at(-1) ?? low
  const median = rest[1] ?? low
  console.log(
    `${what}: ${median.toFixed(3)} ms CPU for a run (${low.toFixed(3)} to ${high.toFixed(3)}), goal: ≤ ${goalMs} ms`,
  )
  if (median > goalMs) process.exitCode = 1
}

/** Evaluates the policies as the controllers do for an AgentRun that they start. */
async function startEvaluation(client: KubeClient, budgets: number, bindings: number) {
  const informers = createInformers(client)
  const caches = budgetCaches(informers, namespaces)
  const secretBindings = secretBindingsCache(informers, namespaces)
  const prices = new Prices({})
  const book = new BudgetBook({
    caches,
    agentRunWork: (one, its, isActive) => agentRunWork(one, its, prices, isActive),
    toolRunWork,
    clock: systemClock,
  })
  book.sourceOf('AgentRun').start(() => undefined)
  await informers.waitForSync()
  while (
    caches.budgets.list(namespace).length < budgets ||
    secretBindings.list(namespace).length < bindings
  ) {
    await delay(50)
  }
  return (one: AgentRun): void => {
    const subjects = [
      { kind: 'AgentRun', name: one.metadata.name },
      { kind: 'Agent', name: one.spec.agentRef.name },
      { kind: 'ServiceAccount', name: 'default' },
      { kind: 'Namespace', name: namespace },
    ] as const
    const rule = secretBindingRule({ namespace, subjects }, { secretBindings, isRequired: false })
    const problem = rule?.({ name: 'own', purpose: 'listed in secrets' })
    if (rule === undefined || problem !== undefined) throw new Error('the Secret is not allowed')
    const verdict = book.admitAgentRun(one)
    if (verdict.kind !== 'pass') throw new Error(`the run does not start: ${verdict.message}`)
    if (book.stopOf('AgentRun', one) !== undefined) throw new Error('the run has to stop')
  }
}

function runOf(name: string): AgentRun {
  return {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind: 'AgentRun',
    metadata: { name, namespace, uid: name, labels: { team: 'one' } },
    spec: {
      agentRef: { name: 'coder' },
      implementation: { inline: { text: 'Do it.' } },
      runtime: { type: 'job' },
    },
  } as AgentRun
}

async function createPolicies(client: KubeClient, budgets: number, bindings: number) {
  const budgetScope = (at: number) => {
    if (at < shared) return {}
    return {
      scope:
        at % 2 === 0
          ? { agentRef: { name: `agent-${at}` } }
          : { labelSelector: { matchLabels: { at: `${at}` } } },
    }
  }
  const subject = (at: number) => {
    if (at === 0) return { kind: 'Agent', name: 'coder' }
    if (at < shared) return { kind: 'Namespace', name: namespace }
    return { kind: 'Agent', name: `agent-${at}` }
  }
  for (let at = 0; at < budgets; at += 1) {
    await client.create(kindRef<Budget>(budget), {
      metadata: { name: `budget-${at}`, namespace },
      spec: {
        limits: { tokens: '1000000000', dollars: '1000000', cpu: '100000' },
        reservation: { tokens: '100' },
        window: 'day',
        timezone: 'Europe/Vienna',
        ...budgetScope(at),
      },
    } as never)
  }
  for (let at = 0; at < bindings; at += 1) {
    await client.create(kindRef(secretBinding), {
      metadata: { name: `binding-${at}`, namespace },
      spec: { subjects: [subject(at)], allowedSecrets: [at === 0 ? 'own' : `secret-${at}`] },
    } as never)
  }
}
