import { type Clock, type ResourceCache, systemClock } from '@agents/controller'
import { type Agent, type AgentRun, agentRun, type Budget, type ToolRun } from '@agents/jangar-api'
import { formatKey, type KubeObject } from '@agents/kube'
import { agentRunWork } from '../../agents-controller/agent-run/agent-run-work.ts'
import { toolRunWork } from '../../orchestration-controller/tool-run/tool-run-work.ts'
import { BudgetBook } from '../budget-book.ts'
import { Prices } from '../prices.ts'

export const namespace = 'team'

/** A cache that a test writes to. Subscribers are called at once, as by an informer. */
function writableCache<T extends KubeObject>() {
  const objects = new Map<string, T>()
  const handlers: {
    onAdd(object: T, initial: boolean): void
    onUpdate(before: T, after: T): void
    onDelete(object: T): void
  }[] = []
  return {
    put: (object: T) => {
      const key = formatKey(object.metadata)
      const before = objects.get(key)
      objects.set(key, object)
      for (const one of handlers) before ? one.onUpdate(before, object) : one.onAdd(object, false)
    },
    remove: (name: string) => {
      const key = formatKey({ namespace, name })
      const object = objects.get(key)
      objects.delete(key)
      if (object) for (const one of handlers) one.onDelete(object)
    },
    cache: {
      get: (key: string) => objects.get(key),
      list: (of?: string) => [...objects.values()].filter((one) => one.metadata.namespace === of),
      byIndex: (_index: string, uid: string) =>
        [...objects.values()].filter((one) =>
          one.metadata.ownerReferences?.some((owner) => owner.uid === uid),
        ),
      subscribe: (one: (typeof handlers)[number]) => {
        handlers.push(one)
        return { hasSynced: () => true, remove: () => handlers.splice(handlers.indexOf(one), 1) }
      },
    } as unknown as ResourceCache<T>,
  }
}

export function startBook(
  options: { readonly hasLedger?: boolean; readonly after?: Clock['after'] } = {},
) {
  const budgets = writableCache<Budget>()
  const runs = writableCache<AgentRun>()
  const jobs = writableCache<KubeObject>()
  const woken: string[] = []
  let now = Date.parse('2026-03-29T12:00:00Z')
  const open = () => {
    const book = new BudgetBook({
      caches: {
        budgets: budgets.cache,
        agentRuns: runs.cache,
        toolRuns: writableCache<ToolRun>().cache,
        agents: writableCache<Agent>().cache,
        tools: writableCache().cache as never,
        jobs: jobs.cache as never,
      },
      clock: {
        ...systemClock,
        now: () => new Date(now),
        ...(options.after && { after: options.after }),
      },
      agentRunWork: (run, agent, isActive) => agentRunWork(run, agent, prices, isActive),
      toolRunWork,
      ...options,
    })
    book.sourceOf('AgentRun').start((key) => woken.push(key))
    return book
  }
  const setTime = (text: string) => {
    now = Date.parse(text)
  }
  return { budgets, runs, jobs, woken, open, setTime }
}

const prices = new Prices({ 'gpt-*': { input: 1, output: 2 } })

export function budgetOf(name: string, spec: object, generation = 1): Budget {
  return { metadata: { name, namespace, uid: name, generation }, spec } as unknown as Budget
}

export function runOf(name: string, status: object = {}, spec: object = {}): AgentRun {
  const whole = { agentRef: { name: 'coder' }, runtime: { type: 'job' }, ...spec }
  const { apiVersion, kind } = agentRun
  const metadata = { name, namespace, uid: name }
  return { apiVersion, kind, metadata, spec: whole, status } as unknown as AgentRun
}
