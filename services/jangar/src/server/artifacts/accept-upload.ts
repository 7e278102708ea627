import { type ArtifactStore, StoreError } from '@agents/artifact-store'
import type { ConfigOf } from '@agents/config'
import { type Artifact, artifact } from '@agents/jangar-api'
import { isAlreadyExists, type KubeClient, kindRef } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { artifactLimits } from '../../config/artifacts.ts'
import { ApiError } from '../api/api-error.ts'
import { checksumOf } from './artifact-content.ts'
import {
  artifactOfUpload,
  isOf,
  runSelector,
  type Upload,
  type UploadingRun,
} from './artifact-of-upload.ts'
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
  const rooms = new Map<string, Room>()
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
      const name = await inTurn(run.uid, () => ensureArtifact({ client, limits }, rooms, upload))
      await store.put({ namespace: run.namespace, digest }, { sizeBytes, body })
      return name
    } catch (error) {
      throw error instanceof StoreError ? refusalOf(error, log) : error
    } finally {
      open -= 1
    }
  }
}

/** What this process may accept for a run before it counts the run's Artifacts again. */
interface Room {
  artifacts: number
  bytes: number
}

/** Only a part of what is left, since other control planes take uploads of the same run. */
const share = 8
/** Runs that upload at the same time are few. */
const mostRooms = 1000

async function ensureArtifact(
  ports: Pick<UploadPorts, 'client' | 'limits'>,
  rooms: Map<string, Room>,
  upload: Upload,
): Promise<string> {
  const { client, limits } = ports
  const { run, sizeBytes } = upload
  const { namespace } = run
  const wanted = artifactOfUpload(upload, limits.ttlDays)
  const name = wanted.metadata.name ?? ''
  let room = rooms.get(run.uid)
  if (room === undefined || room.artifacts < 1 || room.bytes < sizeBytes) {
    const ofRun = await artifactsOf(client, run)
    const earlier = ofRun.find(({ metadata }) => metadata.name === name)
    if (earlier !== undefined) return requireSame(earlier, upload)
    room = roomBeside(ofRun, upload, limits)
    keepRoom(rooms, run.uid, room)
  }
  try {
    await client.create(artifactKind, wanted)
    room.artifacts -= 1
    room.bytes -= sizeBytes
    return name
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return requireSame(await client.get(artifactKind, { namespace, name }), upload)
  }
}

async function artifactsOf(client: UploadPorts['client'], run: UploadingRun): Promise<Artifact[]> {
  const { namespace } = run
  const { items } = await client.list(artifactKind, { namespace, labelSelector: runSelector(run) })
  return items.filter((each) => isOf(each, run))
}

/** Throws if the upload would pass a limit of the run. */
function roomBeside(
  ofRun: readonly Artifact[],
  { sizeBytes }: Upload,
  { maxPerRun, maxRunBytes }: UploadPorts['limits'],
): Room {
  const bytes = ofRun.reduce((sum, { spec }) => sum + (spec?.source?.sizeBytes ?? 0), 0)
  if (ofRun.length >= maxPerRun) {
    throw new ApiError('TooLarge', `a run has at most ${maxPerRun} artifacts`)
  }
  if (bytes + sizeBytes > maxRunBytes) {
    const message = `the artifacts of a run have at most ${maxRunBytes} bytes together`
    throw new ApiError('TooLarge', message)
  }
  return { artifacts: (maxPerRun - ofRun.length) / share, bytes: (maxRunBytes - bytes) / share }
}

function keepRoom(rooms: Map<string, Room>, run: string, room: Room): void {
  // The newest is last.
  rooms.delete(run)
  rooms.set(run, room)
  const [oldest] = rooms.keys()
  if (rooms.size > mostRooms && oldest !== undefined) rooms.delete(oldest)
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
