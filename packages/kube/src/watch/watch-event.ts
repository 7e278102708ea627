import { BAD_ANSWER, errorOfStatus, KubeError } from '../client/kube-error.ts'
import { isStatus } from '../client/status.ts'
import { parseJson } from '../json/parse-json.ts'
import type { KubeObject } from '../object.ts'

/** Says that the synthetic events at the start of a watch are complete. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** Nothing has happened up to this resource version that was not sent. */
  | { readonly type: 'BOOKMARK'; readonly revision: string; readonly initialEventsEnd: boolean }
  /** The stream is over; the error says why. */
  | { readonly type: 'ERROR'; readonly error: KubeError }
  /** A type of event that is newer than this client. */
  | { readonly type: 'OTHER'; readonly name: string }

/** One line of a watch. Undefined for an empty one. Throws a KubeError for anything else. */
export function decodeEvent<T extends KubeObject>(line: Buffer): WatchEvent<T> | undefined {
  const text = line.toString('utf8')
  if (text.trim() === '') return undefined
  const { type, object } = readFrame(text)
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const name = object.metadata?.name
      if (typeof name !== 'string' || name === '') throw badEvent('has an object without a name')
      return { type, object: object as T }
    }
    case 'BOOKMARK': {
      const { resourceVersion, annotations } = object.metadata ?? {}
      if (typeof resourceVersion !== 'string') throw badEvent('is a bookmark of nothing')
      const initialEventsEnd = annotations?.[INITIAL_EVENTS_END] === 'true'
      return { type, revision: resourceVersion, initialEventsEnd }
    }
    case 'ERROR':
      return { type, error: errorOf(object) }
    default:
      return { type: 'OTHER', name: type }
  }
}

interface Frame {
  readonly type: string
  readonly object: Partial<KubeObject>
}

function readFrame(text: string): Frame {
  let frame: unknown
  try {
    frame = parseJson(text)
  } catch (cause) {
    throw badEvent('is no JSON', cause)
  }
  const { type, object } = (frame ?? {}) as Record<string, unknown>
  if (typeof type !== 'string' || object === null || typeof object !== 'object') {
    throw badEvent('has no type or no object')
  }
  return { type, object: object as Partial<KubeObject> }
}

function errorOf(object: unknown): KubeError {
  if (isStatus(object)) return errorOfStatus('watch', object, { code: object.code ?? 500 })
  return badEvent('is an error that does not say which')
}

function badEvent(what: string, cause?: unknown): KubeError {
  return new KubeError(`watch: a line ${what}`, { code: 200, reason: BAD_ANSWER, cause })
}
