import { type GateOf, pass, stall } from '@agents/controller'
import type { Artifact, artifactConditions } from '@agents/jangar-api'
import type { StoredDetail } from './stored.ts'

type StorageResolved = GateOf<typeof artifactConditions, 'StorageResolved', Artifact, StoredDetail>

/** Checks that the platform has the storage that the artifact names. */
export function storageResolved(hasStore: boolean): StorageResolved {
  return {
    condition: 'StorageResolved',
    check: ({ spec }) => {
      const name = spec?.storageRef?.name
      if (name !== undefined) {
        const message = `the platform has no storage ${name}; remove spec.storageRef to use the only one`
        return stall('MissingStorage', message)
      }
      if (hasStore) return pass('Resolved', 'the platform has a store')
      const message = 'the platform has no store of artifacts; set JANGAR_ARTIFACTS_STORE'
      return stall('MissingStorage', message)
    },
  }
}
