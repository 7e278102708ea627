import type { ApiClient, ApiObject, RunSummary } from '@agents/client'
import { stringify } from 'yaml'
import { conditionIn, requestKind, requestSpec, requestStatus } from './approval-request.ts'

/** What a request and the last one of its kind that was approved are about. */
export interface Comparison {
  /** Undefined if nothing of the kind is known to have been approved. */
  readonly last?: {
    readonly run: string
    readonly by: string
    readonly at: string | undefined
    /** Whether its request is gone, so that only its run can be compared. */
    readonly isArchived: boolean
  }
  /** Pairs of texts that may differ: before, after. */
  readonly parts: readonly {
    readonly title: string
    readonly before: string
    readonly after: string
  }[]
}

/** Runs are read one by one, each as the caller. */
const mostRead = 10

/** Compares with the last approval of the same policy for the same step of the same Orchestration, Agent or Tool. */
export async function compareWithLast(
  client: Pick<ApiClient, 'listObjects' | 'listRuns' | 'getRun'>,
  request: ApiObject,
  signal: AbortSignal,
): Promise<Comparison> {
  const { namespace = '' } = request.metadata
  const { items } = await client.listObjects(requestKind, { namespace, limit: 500 }, signal)
  const last = lastApproved(request, items)
  const run = await runOf(client, request, signal)
  if (last !== undefined) {
    const before = await runOf(client, last, signal)
    const { decisions = [], finishedAt } = requestStatus(last)
    const summaries = [last, request].map((each) => requestSpec(each).summary ?? '')
    const [summary = '', newSummary = ''] = summaries
    return {
      last: {
        ...{ run: requestSpec(last).subject?.name ?? '', at: finishedAt, isArchived: false },
        by: decisions.map(({ username = '' }) => username).join(', '),
      },
      parts: [
        { title: 'Summary', before: summary, after: newSummary },
        ...contentParts(before, run),
      ],
    }
  }
  const archived = run && (await archivedApproval(client, request, run, signal))
  if (archived === undefined) return { parts: [] }
  const { name } = archived.run.metadata
  const { by, at } = archived
  return { last: { run: name, by, at, isArchived: true }, parts: contentParts(archived.run, run) }
}

/** The newest request that was approved for the same. */
export function lastApproved(
  request: ApiObject,
  requests: readonly ApiObject[],
): ApiObject | undefined {
  const { subject, policyRef } = requestSpec(request)
  const wanted = workOf(request)
  return requests
    .filter((other) => {
      const spec = requestSpec(other)
      return (
        other.metadata.uid !== request.metadata.uid &&
        conditionIn(other, 'Succeeded')?.status === 'True' &&
        spec.policyRef?.name === policyRef?.name &&
        spec.subject?.kind === subject?.kind &&
        spec.subject?.step === subject?.step &&
        workOf(other) === wanted
      )
    })
    .toSorted((a, b) =>
      (requestStatus(b).finishedAt ?? '').localeCompare(requestStatus(a).finishedAt ?? ''),
    )[0]
}

/**
 * What would run, by the summary: `Orchestration deploy`. The platform writes it, and indents texts of others, which
 * cannot look like another line.
 */
function workOf(request: ApiObject): string | undefined {
  const line = /^(Orchestration|Agent|Tool|Memory): ([^\s,]+)/m
  const [, kind, name] = line.exec(requestSpec(request).summary ?? '') ?? []
  return name === undefined ? undefined : `${kind} ${name}`
}

/** The run of a request, in the cluster or in the archive; undefined if the caller may not read it. */
async function runOf(
  client: Pick<ApiClient, 'getRun'>,
  request: ApiObject,
  signal: AbortSignal,
): Promise<ApiObject | undefined> {
  const { namespace = '' } = request.metadata
  const { kind, name = '', uid } = requestSpec(request).subject ?? {}
  try {
    return (await client.getRun({ kind, namespace, name, uid }, signal)).resource
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}

interface ArchivedApproval {
  readonly run: ApiObject
  readonly by: string
  readonly at: string | undefined
}

/** Requests are deleted with their runs. The archive has what those would run, and whether that was approved. */
async function archivedApproval(
  client: Pick<ApiClient, 'listRuns' | 'getRun'>,
  request: ApiObject,
  current: ApiObject,
  signal: AbortSignal,
): Promise<ArchivedApproval | undefined> {
  const { namespace = '' } = request.metadata
  const { subject = {}, policyRef } = requestSpec(request)
  const { kind, step } = subject
  const of = ranBy(current)
  if (of === undefined) return undefined
  const page = { kind, namespace, source: 'archive', limit: 200 }
  let runs: readonly RunSummary[]
  try {
    runs = (await client.listRuns(page, signal)).items
  } catch (error) {
    if (signal.aborted) throw error
    // Without an archive, nothing is known of runs that are gone.
    return undefined
  }
  const candidates = runs.filter((each) => each.of === of && each.uid !== subject.uid)
  for (const { name, uid } of candidates.slice(0, mostRead)) {
    const { resource } = await client.getRun({ kind, namespace, name, uid }, signal)
    const found = approvalIn(resource, step, policyRef?.name)
    if (found !== undefined) return { run: resource, ...found }
  }
  return undefined
}

interface RunParts {
  readonly spec: Readonly<Record<string, unknown>>
  readonly status: {
    readonly orchestration?: { readonly spec?: { readonly steps?: readonly GateStep[] } }
    readonly stepStatuses?: readonly {
      readonly name: string
      readonly phase?: string
      readonly finishedAt?: string
      readonly outputs?: Readonly<Record<string, unknown>>
    }[]
  }
}

interface GateStep {
  readonly name: string
  readonly policyRef?: string
}

function partsOf({ spec, status }: ApiObject): RunParts {
  return { spec: spec ?? {}, status: status ?? {} } as RunParts
}

function ranBy(run: ApiObject): string | undefined {
  const { agentRef, orchestrationRef, toolRef } = partsOf(run).spec as Readonly<
    Record<string, { readonly name?: string } | undefined>
  >
  return (agentRef ?? orchestrationRef ?? toolRef)?.name
}

/** Who approved the step, or the whole run, by what the run itself recorded. */
export function approvalIn(
  run: ApiObject,
  step: string | undefined,
  policy: string | undefined,
): Omit<ArchivedApproval, 'run'> | undefined {
  const { status } = partsOf(run)
  if (step === undefined) {
    const { status: is, message = '', lastTransitionTime } = conditionIn(run, 'Admitted') ?? {}
    const isApproved = is === 'True' && message.includes('(ApprovalRequest ')
    return isApproved ? { by: '', at: lastTransitionTime } : undefined
  }
  const gate = status.orchestration?.spec?.steps?.find(({ name }) => name === step)
  const state = status.stepStatuses?.find(({ name }) => name === step)
  const { decision, decidedBy = '' } = state?.outputs ?? {}
  if (gate?.policyRef !== policy || decision !== 'Approved') return undefined
  return { by: String(decidedBy), at: state?.finishedAt }
}

function contentParts(
  before: ApiObject | undefined,
  after: ApiObject | undefined,
): Comparison['parts'] {
  if (before === undefined || after === undefined) return []
  return [{ title: 'What runs', before: contentOf(before), after: contentOf(after) }]
}

/** What the run is to do, and the graph as it was when the run was accepted: the digest covers it, names apart. */
export function contentOf(run: ApiObject): string {
  const { spec, status } = partsOf(run)
  const { policy: _policy, cancel: _cancel, ...work } = spec
  const graph = status.orchestration?.spec
  // The archive keeps no order of fields.
  return stringify({ ...work, ...(graph && { graph }) }, { lineWidth: 0, sortMapEntries: true })
}
