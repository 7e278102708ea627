import { agentRun, type Memory, memory, type OrchestrationRun, toolRun } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { listOf, type MayDo } from '../../api/access/authorizer.ts'
import type { Caller } from '../../api/access/caller.ts'
import { ApiError } from '../../api/api-error.ts'
import type { CallerClient } from '../../api/caller-client.ts'
import type { RunSummary } from '../../api/run-summary.ts'
import type { Answer } from '../route.ts'
import {
  defaultMemory,
  failureOf,
  graphKind,
  graphOf,
  graphRunKind,
  type MemoryAct,
  newName,
  outputsOf,
  runSpec,
} from './memory-graph.ts'
import type { RouteCall } from './tools.ts'

export interface MemoryPorts {
  readonly callerClient: CallerClient
  readonly mayDo: MayDo
}

/** The call of a tool, by whom and how to go on. */
export interface ToolContext extends MemoryPorts {
  readonly caller: Caller
  /** Calls a route as the caller. */
  readonly call: (request: RouteCall, signal: AbortSignal) => Promise<Answer>
  readonly signal: AbortSignal
}

interface MemoryUse {
  /** The name of the tool. */
  readonly tool: string
  readonly namespace: string
  /** If omitted, the default one of the namespace. */
  readonly memory?: string | undefined
  readonly act: MemoryAct
  readonly timeoutSeconds: number
}

const memories = kindRef<Memory>(memory)
/** For what must be done even if the client is gone. */
const tidySeconds = 10

/**
 * Has the platform do it as a step of kind MemoryOp, in a pod of the namespace: the control plane itself connects to no
 * address that a user of the namespace has chosen. Everything is created as the caller.
 */
export async function useMemory(context: ToolContext, use: MemoryUse): Promise<object> {
  const { namespace, act } = use
  await checkRights(context, namespace)
  const store = await memoryOf(context, use)
  if (store.spec.type !== 'postgres') {
    const why = `is of type ${store.spec.type}; tools can use Memories of type postgres only`
    throw new ApiError('Conflict', `Memory ${store.metadata.name} ${why}`)
  }
  const run = await start(context, { ...use, store: store.metadata.name })
  try {
    const ended = await waitFor(context, use, run)
    if (ended === undefined) throw overdue(use, run)
    const { phase, message } = ended.run
    if (phase !== 'Succeeded') {
      const why = failureOf(ended.resource) ?? message ?? `the run ended as ${phase}`
      throw new ApiError('Conflict', `${act.op} failed in run ${run}: ${why}`)
    }
    return { run, ...outputsOf(ended.resource) }
  } catch (error) {
    await cancel(context, namespace, run)
    throw error
  }
}

/** As admission policies demand of authors of such graphs, which are not installed everywhere. */
async function checkRights({ caller, mayDo }: ToolContext, namespace: string): Promise<void> {
  for (const kind of [graphKind, graphRunKind, kindRef(agentRun), kindRef(toolRun)]) {
    if (await mayDo(caller, { ...listOf(kind, namespace), verb: 'create' })) continue
    const what = `create ${kind.kind}s in namespace ${namespace}, which the use of a Memory needs`
    throw new ApiError('Forbidden', `${caller.username} may not ${what}`)
  }
}

async function memoryOf(context: ToolContext, use: MemoryUse): Promise<Memory> {
  const { caller, callerClient, signal } = context
  const { namespace, memory: name } = use
  if (name !== undefined) {
    return await callerClient.get(caller, memories, { namespace, name }, signal)
  }
  const { items } = await callerClient.list(caller, memories, namespace, {}, signal)
  const found = defaultMemory(items)
  if (found !== undefined) return found
  throw new ApiError('NotFound', `namespace ${namespace} has no default Memory; name one`)
}

/** The run is first, since it owns the graph: what deletes the run after its end deletes both. */
async function start(
  { caller, callerClient, call }: ToolContext,
  { tool, namespace, store, act }: MemoryUse & { readonly store: string },
): Promise<string> {
  const name = newName(tool)
  const signal = AbortSignal.timeout(tidySeconds * 1000)
  const graph = (uid: string): object => graphOf(name, uid, store, act)
  // What the cluster would refuse is refused before there is a run that waits for it.
  const unknown = '00000000-0000-0000-0000-000000000000'
  const check = { dryRun: true }
  await callerClient.create(caller, graphKind, namespace, graph(unknown), signal, check)
  const body = { kind: graphRunKind.kind, namespace, name, spec: runSpec(name) }
  const { resource } = jsonOf<{ readonly resource: OrchestrationRun }>(
    await call({ operation: 'submitRun', body }, signal),
  )
  try {
    const uid = resource.metadata.uid ?? ''
    await callerClient.create(caller, graphKind, namespace, graph(uid), signal)
    return name
  } catch (error) {
    await cancel({ call }, namespace, name)
    throw error
  }
}

interface Waited {
  readonly finished: boolean
  readonly run: RunSummary
  readonly resource: OrchestrationRun
}

async function waitFor(
  { call, signal }: ToolContext,
  { namespace, timeoutSeconds }: MemoryUse,
  name: string,
): Promise<Waited | undefined> {
  const query = { kind: graphRunKind.kind, timeoutSeconds }
  const request = { operation: 'waitForRun', path: { namespace, name }, query }
  const waited = jsonOf<Waited>(await call(request, signal))
  return waited.finished ? waited : undefined
}

function overdue({ act, timeoutSeconds }: MemoryUse, run: string): ApiError {
  const what = `${act.op} has not ended after ${timeoutSeconds} seconds, so run ${run} was cancelled`
  return new ApiError('Timeout', `${what}; explain_run says what it waited for`)
}

/** Best effort: a caller who may not change runs leaves it to the timeout of the run. */
async function cancel(
  { call }: Pick<ToolContext, 'call'>,
  namespace: string,
  name: string,
): Promise<void> {
  const query = { kind: graphRunKind.kind }
  const request = { operation: 'cancelRun', path: { namespace, name }, query }
  await call(request, AbortSignal.timeout(tidySeconds * 1000)).catch(() => undefined)
}

function jsonOf<T>(answer: Answer): T {
  if ('json' in answer) return answer.json as T
  throw new TypeError('the answer is not JSON')
}
