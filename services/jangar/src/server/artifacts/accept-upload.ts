import { type ArtifactStore, StoreError } from '@agents/artifact-store'
import type { ConfigOf } from '@agents/config'
import { type Artifact, artifact } from '@agents/jangar-api'
import { isAlreadyExists, type KubeClient, kindRef } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { artifactLimits } from '../../config/artifacts.ts'
import { ApiError } from '../api/api-error.ts'
import { checksumOf } from './artifact-content.ts'
import { artifactOfUpload, isOf, runSelector, type Upload } from './artifact-of-upload.ts'
import { requireRecorded } from './require-recorded.ts'

interface UploadPorts {
  readonly store: ArtifactStore
  readonly client: Pick<KubeClient, 'get' | 'list' | 'create'>
  readonly limits: ConfigOf<typeof artifactLimits>
  readonly log: Logger
}

/** Takes the content of an artifact; resolves to the Artifact's name when the store has all of it. */
export type AcceptUpload = (upload: Upload, body: AsyncIterable<Uint8Array>) => Promise<string>

const artifactKind = kindRef<Artifact>(artifact)
/** Each needs the memory of some parts. */
const mostUploads = 16

/** Uploads by pods, each for its own run and within the limits of a run. */
export function uploadAcceptor({ store, client, limits, log }: UploadPorts): AcceptUpload {
  let open = 0
  const turns = new Map<string, Promise<unknown>>()
  /** The limits of a run are checked for one upload after the other. */
  const inTurn = <T>(run: string, work: () => Promise<T>): Promise<T> => {
    const turn = (turns.get(run) ?? Promise.resolve()).catch(() => undefined).then(work)
    turns.set(run, turn)
    const forget = (): void => {
      if (turns.get(run) === turn) turns.delete(run)
    }
    turn.then(forget, forget)
    return turn
  }
  return async (upload, body) => {
    const { run, digest, sizeBytes } = upload
    if (sizeBytes > limits.maxBytes) {
      throw new ApiError('TooLarge', `an artifact has at most ${limits.maxBytes} bytes`)
    }
    if (open >= mostUploads) {
      const message = 'too many uploads at a time; try again'
      throw new ApiError('TooManyRequests', message, { retryAfterMs: 2000 })
    }
    open += 1
    try {
      await requireRecorded(client, run)
      // Before the content, which an artifact keeps from being deleted.
      const name = await inTurn(run.uid, () => ensureArtifact({ client, limits }, upload))
      await store.put({ namespace: run.namespace, digest }, { sizeBytes, body })
      return name
    } catch (error) {
      throw error instanceof StoreError ? refusalOf(error, log) : error
    } finally {
      open -= 1
    }
  }
}

async function ensureArtifact(
  { client, limits }: Pick<UploadPorts, 'client' | 'limits'>,
  upload: Upload,
): Promise<string> {
  const { run } = upload
  const { namespace } = run
  const wanted = artifactOfUpload(upload, limits.ttlDays)
  const name = wanted.metadata.name ?? ''
  const labelSelector = runSelector(run)
  const labelled = await client.list(artifactKind, { namespace, labelSelector })
  const ofRun = labelled.items.filter((each) => isOf(each, run))
  const earlier = ofRun.find(({ metadata }) => metadata.name === name)
  if (earlier !== undefined) return requireSame(earlier, upload)
  const bytes = ofRun.reduce((sum, { spec }) => sum + (spec?.source?.sizeBytes ?? 0), 0)
  if (ofRun.length >= limits.maxPerRun) {
    throw new ApiError('TooLarge', `a run has at most ${limits.maxPerRun} artifacts`)
  }
  if (bytes + upload.sizeBytes > limits.maxRunBytes) {
    const message = `the artifacts of a run have at most ${limits.maxRunBytes} bytes together`
    throw new ApiError('TooLarge', message)
  }
  try {
    await client.create(artifactKind, wanted)
    return name
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return requireSame(await client.get(artifactKind, { namespace, name }), upload)
  }
}

function requireSame(earlier: Artifact, { run, digest, name }: Upload): string {
  if (isOf(earlier, run) && earlier.spec?.source?.checksum === checksumOf(digest)) {
    return earlier.metadata.name
  }
  throw new ApiError('Conflict', `the pod has uploaded other content as ${name} before`)
}

function refusalOf(error: StoreError, log: Logger): ApiError {
  const { reason, message } = error
  if (reason === 'ContentMismatch') return new ApiError('Invalid', message, { cause: error })
  if (reason === 'Interrupted') return new ApiError('BadRequest', message, { cause: error })
  // Details of the store are not for tenants.
  if (reason !== 'BeingDeleted') log.warn('artifact not stored', { reason, error })
  const shown = 'the store of artifacts does not take content now; try again'
  return new ApiError('Unavailable', shown, { cause: error, retryAfterMs: 1000 })
}
