import { union } from './field-set.ts'
import { byText } from './go-text.ts'
import { type ManagerId, type Managers, managerId, secondsOf } from './managers.ts'

const maxUpdaters = 10

/** Merges, in place, the oldest updaters of a version into one named `ancient-changes` until at most ten are left. */
export function capUpdaters(managers: Managers): void {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update')
  if (updaters.length <= maxUpdaters) return
  updaters.sort(([idA, a], [idB, b]) => secondsOf(a) - secondsOf(b) || byText(idA, idB))

  const firstOfVersion = new Map<string, ManagerId>()
  let count = updaters.length
  for (const [id, updater] of updaters) {
    if (count <= maxUpdaters) return
    const first = firstOfVersion.get(updater.apiVersion)
    if (first === undefined) {
      firstOfVersion.set(updater.apiVersion, id)
      continue
    }
    const ancient = {
      manager: 'ancient-changes',
      operation: 'Update',
      subresource: '',
      apiVersion: updater.apiVersion,
    } as const
    const bucket = managerId(ancient)
    let owned = managers.get(bucket)
    if (owned === undefined) {
      owned = managers.get(first)
      managers.delete(first)
    }
    managers.delete(id)
    if (owned !== undefined) {
      managers.set(bucket, {
        ...ancient,
        time: updater.time,
        fields: union(updater.fields, owned.fields),
      })
    }
    count--
  }
}
