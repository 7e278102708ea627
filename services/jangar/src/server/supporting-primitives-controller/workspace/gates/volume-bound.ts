import { type Children, type GateOf, type ObjectApi, pass, stall, wait } from '@agents/controller'
import type { AgentRun, Workspace, workspaceConditions } from '@agents/jangar-api'
import {
  isControlledBy,
  isNotFound,
  OwnershipError,
  type PersistentVolumeClaim,
} from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { conditionOf } from '../../../kubernetes/condition-of.ts'
import { claimOf } from '../workspace-claim.ts'
import { expiryOf, useOf } from '../workspace-use.ts'

interface Detail {
  volumeName?: string | undefined
  lastUsedAt?: string | undefined
}

type VolumeBound = GateOf<typeof workspaceConditions, 'VolumeBound', Workspace, Detail>

interface VolumePorts {
  readonly claims: Pick<ObjectApi<PersistentVolumeClaim>, 'get'>
  readonly children: Children<PersistentVolumeClaim>
  /** Deletes the object that was read, and no later one of the same name. */
  deleteClaim(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<void>
  /** The runs in the cache that mount the Workspace. */
  usersOf(workspace: Workspace): readonly AgentRun[]
  /** Whether the server has a run that mounts the Workspace and has not finished. */
  isReferredTo(workspace: Workspace, signal: AbortSignal): Promise<boolean>
}

/** The claim reports changes by events. This covers a provisioner that never does anything. */
const recheckMs = 60_000
/** A timer does not notice that the clock of the machine was set. */
const longestTimerMs = 30 * 60_000

/** By then the cache has what the server has. */
const staleMs = 1000

const notUsed = 'it was not used for spec.ttlSeconds; create the Workspace again to use it'

/** Creates the claim, reports its volume, and deletes it when the workspace has expired. */
export function volumeBound(ports: VolumePorts): VolumeBound {
  return {
    condition: 'VolumeBound',
    check: async (workspace, _detail, { now, signal }) => {
      const { isInUse, lastUsedAt } = useOf(workspace, ports.usersOf(workspace))
      const used = lastUsedAt === undefined ? undefined : rfc3339(new Date(lastUsedAt))
      const detail = { lastUsedAt: used }
      if (conditionOf(workspace, 'VolumeBound')?.reason === 'Expired') {
        const isDeleted = isInUse ? false : await deleteClaim(workspace, ports, signal)
        return isDeleted
          ? stall('Expired', notUsed, { detail: { ...detail, volumeName: undefined } })
          : wait('Expired', notUsed, recheckMs, { detail })
      }
      const expiry = isInUse ? undefined : expiryOf(workspace, lastUsedAt)
      const isDue = expiry !== undefined && expiry <= now.getTime()
      // The cache may not have a run yet that was created a moment ago. The status comes first: without it, the claim
      // would be created again after a crash.
      if (isDue && !(await ports.isReferredTo(workspace, signal))) {
        return wait('Expired', notUsed, 0, { detail })
      }
      const claim = await ensureClaim(workspace, ports, signal)
      if (claim === 'conflict') {
        return stall(
          'ClaimConflict',
          `PersistentVolumeClaim ${workspace.metadata.name} already exists and does not belong to the Workspace; delete it, or use another name`,
          { detail },
        )
      }
      if (claim === 'lost' || claim.status?.phase === 'Lost') {
        const message = 'the volume or its claim was deleted; create the Workspace again'
        return stall('VolumeLost', message, { detail })
      }
      const recheckAfterMs =
        expiry === undefined
          ? undefined
          : Math.min(Math.max(expiry - now.getTime(), staleMs), longestTimerMs)
      if (claim.status?.phase === 'Bound') {
        const { volumeName } = claim.spec
        return pass('Bound', `volume ${volumeName ?? ''} is bound`, {
          detail: { ...detail, volumeName: volumeName ?? undefined } as Detail,
          ...(recheckAfterMs !== undefined && { recheckAfterMs }),
        })
      }
      const message =
        'the claim is not bound yet; some storage classes provision a volume only when a run uses it'
      return wait('Provisioning', message, Math.min(recheckMs, recheckAfterMs ?? recheckMs), {
        detail,
      })
    },
  }
}

async function ensureClaim(
  workspace: Workspace,
  { children, claims }: VolumePorts,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim | 'conflict' | 'lost'> {
  const { status, metadata } = workspace
  try {
    // A claim that once had a volume is not created again: the new volume would be empty.
    if (status?.volumeName !== undefined && children.get(metadata) === undefined) {
      const claim = await claims.get(metadata, signal)
      return isControlledBy(claim, workspace) ? claim : 'conflict'
    }
    return (await children.createOrObserve(claimOf(workspace), workspace, signal)).object
  } catch (error) {
    if (error instanceof OwnershipError) return 'conflict'
    if (isNotFound(error) && status?.volumeName !== undefined) return 'lost'
    throw error
  }
}

/** Whether the claim is gone. Claims of others are left alone. */
async function deleteClaim(
  workspace: Workspace,
  ports: VolumePorts,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const claim = await ports.claims.get(workspace.metadata, signal)
    if (!isControlledBy(claim, workspace)) return true
    if (claim.metadata.deletionTimestamp === undefined) await ports.deleteClaim(claim, signal)
    return false
  } catch (error) {
    if (isNotFound(error)) return true
    throw error
  }
}
