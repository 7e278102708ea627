import { type ArtifactStore, StoreError } from '@agents/artifact-store'
import { type GateOf, pass, stall, wait } from '@agents/controller'
import type { Artifact, artifactConditions } from '@agents/jangar-api'
import { addressOf, expiryOf } from '../../../artifacts/artifact-content.ts'

type Status = NonNullable<Artifact['status']>
export type StoredDetail = {
  [Name in 'uri' | 'checksum' | 'sizeBytes' | 'contentType']?: Status[Name] | undefined
}
type Stored = GateOf<typeof artifactConditions, 'Stored', Artifact, StoredDetail>

/** A pod that does not end its upload in this time has given up. */
const longestUploadMs = 30 * 60_000
/** Most uploads end sooner, and then the status is written once. */
const usualUploadMs = 3000
const dayMs = 86_400_000
const failedRetryMs = 10_000

/** Looks for the content in the store, and lets it go when the artifact expires. */
export function stored(store: ArtifactStore | undefined): Stored {
  return {
    condition: 'Stored',
    check: async (artifact, _detail, { now }) => {
      const address = addressOf(artifact)
      if (store === undefined || address === undefined) {
        return stall('NoSource', 'the artifact has no content: only pods of runs upload content')
      }
      const expiry = expiryOf(artifact)
      if (expiry !== undefined && expiry <= now.getTime()) {
        const message = 'the artifact expired, and its content is deleted'
        return stall('Expired', message, { detail: { uri: undefined } })
      }
      const { checksum, contentType } = artifact.spec?.source ?? {}
      const found = await statOrFailure(store, address, artifact)
      if (found === undefined) return absent(artifact, now)
      if (found instanceof StoreError) return wait('StoreFailed', failureText(found), failedRetryMs)
      const detail = { uri: store.uri(address), checksum, contentType, sizeBytes: found.sizeBytes }
      const recheck = expiry && { recheckAfterMs: Math.min(dayMs, expiry - now.getTime()) }
      return pass('Stored', `the content has ${found.sizeBytes} bytes`, { detail, ...recheck })
    },
    blockedDetail: () => ({ uri: undefined }),
  }
}

/**
 * Content that is being deleted while it is uploaded again is not there yet. An artifact that has been stored stays as
 * it is while the store fails.
 */
async function statOrFailure(
  store: ArtifactStore,
  address: NonNullable<ReturnType<typeof addressOf>>,
  { status }: Artifact,
) {
  try {
    return await store.stat(address)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    if (error.reason === 'BeingDeleted') return undefined
    if (status?.uri !== undefined) throw error
    return error
  }
}

/** Without the store's own words: details of the store are not for tenants. */
function failureText({ reason }: StoreError): string {
  return `the store of artifacts fails with ${reason}; whoever runs the platform has to check JANGAR_ARTIFACTS_*`
}

function absent({ metadata, status }: Artifact, now: Date) {
  if (status?.uri !== undefined) {
    return stall('Lost', 'the content is no longer in the store; the run has to be repeated')
  }
  const age = now.getTime() - Date.parse(metadata.creationTimestamp ?? '')
  if (age > longestUploadMs) return stall('NotUploaded', 'the upload of the content did not end')
  const retryMs = age < 60_000 ? 1000 : 10_000
  const hold = age < usualUploadMs ? { holdForMs: usualUploadMs } : {}
  return wait('Uploading', 'the pod of the run uploads the content', retryMs, hold)
}
