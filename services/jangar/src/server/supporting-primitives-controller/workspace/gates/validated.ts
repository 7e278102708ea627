import { type GateOf, pass, stall } from '@agents/controller'
import type { Workspace, workspaceConditions } from '@agents/jangar-api'
import { formatKey, isControlledBy, isQuantity, parseQuantity, quantitySign } from '@agents/kube'
import type { SupportingCaches } from '../../../caches/supporting-caches.ts'
import { changedField } from '../workspace-claim.ts'

const accessModes = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod']

/** Checks the spec, and that it still describes the volume. */
export function validated({
  claims,
}: Pick<SupportingCaches, 'claims'>): GateOf<typeof workspaceConditions, 'Validated', Workspace> {
  return {
    condition: 'Validated',
    check: (workspace) => {
      const { size, accessModes: modes = [] } = workspace.spec ?? {}
      if (size === undefined || size === '') {
        return stall('MissingSize', 'spec.size is missing; set it to a quantity such as 10Gi')
      }
      if (!isQuantity(size) || quantitySign(parseQuantity(size)) <= 0) {
        return stall('InvalidSize', `spec.size is ${size}; use a positive quantity such as 10Gi`)
      }
      const wrong = modes.find((mode) => !accessModes.includes(mode))
      if (wrong !== undefined) {
        const allowed = accessModes.join(', ')
        return stall('InvalidAccessMode', `spec.accessModes has ${wrong}; use one of ${allowed}`)
      }
      const claim = claims.get(formatKey(workspace.metadata))
      const changed =
        claim && isControlledBy(claim, workspace) ? changedField(workspace, claim) : undefined
      if (changed !== undefined) {
        return stall(
          'VolumeImmutable',
          `${changed} differs from the volume, which cannot be changed; restore it, or create another Workspace`,
        )
      }
      return pass('Valid', 'the spec is valid')
    },
  }
}
