import { type ApiClient, ApiFailure, type ApiObject } from '@agents/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useConsoleData } from '../data/console-data.tsx'
import { useAccess } from '../data/use-access.ts'
import { missingRight } from '../parts/missing-right.ts'
import { useSession } from '../session/session-gate.tsx'
import {
  changeSince,
  conditionIn,
  type Decision,
  decisionKind,
  decisionOf,
  isOpen,
  policyKind,
  requestKind,
  requestSpec,
  requestStatus,
} from './approval-request.ts'
import { policyObstacles } from './approver.ts'

interface DecisionState {
  readonly decide: (decision: Decision, comment: string) => void
  readonly isBusy: boolean
  readonly error: Error | null
  /** What came of it. Undefined until then. */
  readonly outcome: string | undefined
  readonly obstacles: { readonly approve: string | undefined; readonly deny: string | undefined }
}

/** Decides about a request as it is shown, and says whether the decision counts. */
export function useDecision(shown: ApiObject): DecisionState {
  const { client, queries } = useConsoleData()
  const { who } = useSession()
  const { namespace = '', uid } = shown.metadata
  const [access] = useAccess([
    {
      verb: 'create',
      group: 'approvals.proompteng.ai',
      resource: 'approvaldecisions',
      namespace,
    },
  ])
  const { name: policyName = '' } = requestSpec(shown).policyRef ?? {}
  // Who may not read the policy learns only afterwards whether a decision counts.
  const policy = useQuery({
    queryKey: ['object', policyKind, namespace, policyName],
    queryFn: ({ signal }) => client.getObject(policyKind, { namespace, name: policyName }, signal),
    enabled: policyName !== '',
    retry: false,
    staleTime: 10_000,
  })
  const mutation = useMutation({
    mutationKey: ['decide', uid],
    mutationFn: async ([decision, comment]: readonly [Decision, string]) => {
      const { name } = shown.metadata
      const change = changeSince(shown, await requestNow(client, { namespace, name }))
      if (change !== undefined) throw new Error(change)
      const made = decisionOf(shown, decision, comment, who)
      await client.createObject(decisionKind, { namespace, name: made.metadata.name }, made)
      return await outcomeOf(client, shown, made)
    },
    // Not awaited: what came of it is shown at once, however long the lists take.
    onSettled: () => void queries.invalidateQueries({ queryKey: ['objects', requestKind] }),
  })
  const byPolicy = policy.data === undefined ? {} : policyObstacles(policy.data, shown, who)
  const always =
    missingRight(access) ?? byPolicy.decide ?? (mutation.isSuccess ? 'you have decided' : undefined)
  return {
    decide: (decision, comment) => mutation.mutate([decision, comment]),
    isBusy: mutation.isPending,
    error: mutation.error,
    outcome: mutation.data,
    obstacles: { approve: always ?? byPolicy.approve, deny: always },
  }
}

interface Key {
  readonly namespace: string
  readonly name: string
}

/** Undefined if it was deleted. */
async function requestNow(
  client: Pick<ApiClient, 'getObject'>,
  key: Key,
): Promise<ApiObject | undefined> {
  try {
    return await client.getObject(requestKind, key)
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return undefined
    throw error
  }
}

const pauseMs = 250
const mostTries = 40
/** The request has not been looked at since. */
const undecided = ['RequestMissing', 'NotCounted']

/** Waits until the platform has counted the decision, or said why it does not. */
async function outcomeOf(
  client: Pick<ApiClient, 'getObject'>,
  request: ApiObject,
  made: ApiObject,
): Promise<string> {
  const { name, namespace = '' } = made.metadata
  for (let tries = 0; tries < mostTries; tries += 1) {
    const counts = await countedBy(client, request, { namespace, name })
    if (counts === true) return 'Your decision counts.'
    if (counts !== undefined) throw new Error(`it does not count: ${counts}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return 'Your decision is made, and not counted yet.'
}

/** Whether it counts, or why not. Undefined while that is open. */
async function countedBy(
  client: Pick<ApiClient, 'getObject'>,
  request: ApiObject,
  key: Key,
): Promise<true | string | undefined> {
  try {
    const decision = await client.getObject(decisionKind, key)
    const refusals = ['Verified', 'Accepted'].flatMap((type) => conditionIn(decision, type) ?? [])
    const refusal = refusals.find(({ status }) => status === 'False')
    if (refusal !== undefined) {
      const { reason = '', message = reason } = refusal
      return undecided.includes(reason) ? undefined : message
    }
    return conditionIn(decision, 'Accepted')?.status === 'True' ? true : undefined
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status !== 403) throw error
  }
  // Approvers may create decisions, but need no right to read them: the request lists those that count.
  const now = await requestNow(client, { ...key, name: request.metadata.name })
  if (now === undefined) return 'the request was deleted'
  const isCounted = requestStatus(now).decisions?.some(({ name }) => name === key.name)
  if (isCounted) return true
  return isOpen(now) ? undefined : 'the request was finished without it'
}
