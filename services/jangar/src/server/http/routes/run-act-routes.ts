import type { Clock } from '@agents/controller'
import { isFinished } from '@agents/status'
import type { CallerClient } from '../../api/caller-client.ts'
import { findRun } from '../../api/find-run.ts'
import type { RunSource } from '../../api/list-runs.ts'
import { repeatedRun } from '../../api/repeat-run.ts'
import { type FindKeptLog, runLogs } from '../../api/run-logs.ts'
import { runSummary } from '../../api/run-summary.ts'
import { type RunRequest, submitRun } from '../../api/submit-run.ts'
import { keptLog as findKeptLog } from '../../artifacts/kept-log.ts'
import { pathParameters } from '../path-pattern.ts'
import { callerRoute, type Route } from '../route.ts'
import type { ApiArtifacts } from './artifact-routes.ts'
import { anyKind, repeatSchema, requestSchema, runSchema, waitSchema } from './run-schemas.ts'

interface ActPorts {
  readonly sources: readonly RunSource[]
  readonly callerClient: CallerClient
  readonly clock: Clock
  readonly artifacts: ApiArtifacts | undefined
}

/** Says where output is from: `pod`, or `artifact` if it was kept. */
const logSourceHeader = 'agents-log-source'
const largestRequest = 1024 * 1024
const json = { form: 'json', contentType: 'application/json', maxBytes: largestRequest } as const

/** What can be done with runs, each as the caller. */
export function runActRoutes(ports: ActPorts): readonly Route[] {
  const { sources, callerClient, clock, artifacts } = ports
  const keptLog: FindKeptLog = async (caller, run, question, signal) => {
    if (artifacts === undefined) return undefined
    const { store } = artifacts
    return await findKeptLog({ store, callerClient }, caller, run, question, signal)
  }
  const answers = { 200: { description: 'The run.', schema: runSchema } }
  return [
    callerRoute({
      method: 'POST',
      path: '/v1/runs',
      id: 'submitRun',
      summary: 'Starts a run.',
      description:
        'With an idempotency key, the same request again answers with the same run, as long as it exists; another body with the same key is a conflict.',
      query: {
        dryRun: {
          type: 'boolean',
          description: 'Whether the run is checked in full, and not created.',
        },
      },
      headers: {
        'idempotency-key': {
          schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' },
        },
      },
      body: { ...json, schema: requestSchema },
      answers: {
        200: {
          description: 'The run that the same request started before, or would start.',
          schema: runSchema,
        },
        201: { description: 'The new run.', schema: runSchema },
      },
      handle: async ({ query: { dryRun }, body, headers, signal }, caller) => {
        const key = headers['idempotency-key']
        const request = body as RunRequest
        const { run, isNew } = await submitRun(
          callerClient,
          caller,
          request,
          { key, dryRun },
          signal,
        )
        return { status: isNew ? 201 : 200, json: { run: runSummary(run), resource: run } }
      },
    }),
    callerRoute({
      method: 'POST',
      path: '/v1/runs/{namespace}/{name}/cancel',
      id: 'cancelRun',
      summary: 'Cancels a run.',
      description: 'The run ends soon after. A finished run is not changed.',
      query: { kind: anyKind },
      answers,
      handle: async ({ path, query, signal }, caller) => {
        const key = keyOf(path)
        const { kind, run } = await findRun(callerClient, caller, key, query.kind, signal)
        const isOver = isFinished(run.status?.conditions)
        const patch = { spec: { cancel: true } }
        const after = isOver ? run : await callerClient.patch(caller, kind, key, patch, signal)
        return { json: { run: runSummary(after), resource: after } }
      },
    }),
    callerRoute({
      method: 'POST',
      path: '/v1/runs/{namespace}/{name}/rerun',
      id: 'repeatRun',
      summary: 'Starts another run like a finished one.',
      description:
        'That of an OrchestrationRun takes over the steps that succeeded, except the given ones and those that depend on them.',
      query: { kind: anyKind },
      body: { ...json, required: false, schema: repeatSchema },
      answers: { 201: { description: 'The new run.', schema: runSchema } },
      handle: async ({ path, query, body, signal }, caller) => {
        const key = keyOf(path)
        const { kind, run } = await findRun(callerClient, caller, key, query.kind, signal)
        const { steps = [] } = (body ?? {}) as { readonly steps?: readonly string[] }
        const wanted = repeatedRun(kind, run, steps)
        const next = await callerClient.create(caller, kind, key.namespace, wanted, signal)
        return { status: 201, json: { run: runSummary(next), resource: next } }
      },
    }),
    callerRoute({
      method: 'GET',
      path: '/v1/runs/{namespace}/{name}/wait',
      id: 'waitForRun',
      summary: 'Waits until a run has finished, or the time is over.',
      description: 'The phase in the answer says which: the time being over is no error.',
      query: {
        kind: anyKind,
        timeoutSeconds: {
          ...{ type: 'integer', minimum: 0, maximum: 60, default: 30 },
          description: 'How long to wait.',
        },
      },
      answers: { 200: { description: 'The run as it is then.', schema: waitSchema } },
      handle: async ({ path, query, signal }, caller) => {
        const key = keyOf(path)
        const { kind, run } = await findRun(callerClient, caller, key, query.kind, signal)
        const source = sources.find(({ cache }) => cache.kind.kind === kind.kind)
        if (source !== undefined && !isFinished(run.status?.conditions)) {
          const isDone = (): boolean => {
            const known = source.cache.get(`${key.namespace}/${key.name}`)
            return known?.metadata.uid === run.metadata.uid && isFinished(known?.status?.conditions)
          }
          const ms = query.timeoutSeconds * 1000
          await source.changes.until(key, isDone, clock, ms, signal)
        }
        // Read again as the caller, who may have lost the right meanwhile.
        const after = await callerClient.get(caller, kind, key, signal)
        const finished = isFinished(after.status?.conditions)
        return { json: { finished, run: runSummary(after), resource: after } }
      },
    }),
    callerRoute({
      method: 'GET',
      path: '/v1/runs/{namespace}/{name}/logs',
      id: 'readLogs',
      summary: 'Reads the output of a run.',
      description:
        'The output of the newest pod of an AgentRun or ToolRun. The caller needs to list pods and to get their logs; when the pod is gone and its output is kept as an Artifact, to list Artifacts and to get that one. The header `agents-log-source` says which it is: `pod` or `artifact`.',
      query: {
        kind: anyKind,
        pod: { ...pathParameters.name, description: 'The pod. If omitted, the newest.' },
        container: {
          ...pathParameters.namespace,
          description: 'The container. If omitted, that of the agent or tool.',
        },
        follow: { type: 'boolean', description: 'Whether new output follows until the end.' },
        tailLines: {
          ...{ type: 'integer', minimum: 1, maximum: 5000 },
          description: 'The last lines. If omitted, all.',
        },
      },
      answers: {
        200: { description: 'The output.', contentType: 'text/plain', schema: { type: 'string' } },
      },
      handle: async ({ path, query, signal }, caller) => {
        const { kind, run } = await findRun(callerClient, caller, keyOf(path), query.kind, signal)
        const by = { client: callerClient, keptLog }
        const { from, chunks } = await runLogs(by, caller, kind, run, query, signal)
        const headers = { [logSourceHeader]: from }
        return { contentType: 'text/plain; charset=utf-8', headers, chunks }
      },
    }),
  ]
}

function keyOf({ namespace = '', name = '' }: Readonly<Record<string, string>>) {
  return { namespace, name }
}
