import { parseJson } from '../json/parse-json.ts'
import type { KubeObject } from '../object.ts'
import { decodeWatchEvent } from '../protobuf/kubernetes.ts'
import type { Message } from '../protobuf/message.ts'
import { badAnswerReason, errorOfStatus, KubeError } from '../transport/kube-error.ts'
import { isStatus } from '../transport/status.ts'

/** Marks the end of the synthetic events at the start of a watch. */
const initialEventsEndAnnotation = 'k8s.io/initial-events-end'

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** All changes up to this resource version have been sent. */
  | { readonly type: 'BOOKMARK'; readonly revision: string; readonly initialEventsEnd: boolean }
  /** The stream ended with this error. */
  | { readonly type: 'ERROR'; readonly error: KubeError }
  /** An event of an unknown type. */
  | { readonly type: 'OTHER'; readonly name: string }

/** Parses one line of a watch. Returns undefined for an empty line. Throws a KubeError if the line is invalid. */
export function decodeEvent<T extends KubeObject>(
  line: Buffer,
  /** Changes the text before it is parsed. */
  change = (text: string): string => text,
): WatchEvent<T> | undefined {
  const text = line.toString('utf8')
  if (text.trim() === '') return undefined
  return eventOf(parsed(() => parseJson(change(text))))
}

/** Decodes one frame of a watch in protobuf. */
export function decodeFrame<T extends KubeObject>(frame: Buffer, fields: Message): WatchEvent<T> {
  return eventOf(parsed(() => decodeWatchEvent(frame, fields)))
}

function eventOf<T extends KubeObject>({ type, object }: Frame): WatchEvent<T> {
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
      if (typeof resourceVersion !== 'string')
        throw badEvent('is a bookmark without a resourceVersion')
      const initialEventsEnd = annotations?.[initialEventsEndAnnotation] === 'true'
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

function parsed(parse: () => unknown): Frame {
  let frame: unknown
  try {
    frame = parse()
  } catch (cause) {
    throw badEvent('cannot be decoded', cause)
  }
  const { type, object } = (frame ?? {}) as Record<string, unknown>
  if (typeof type !== 'string' || object === null || typeof object !== 'object') {
    throw badEvent('has no type or no object')
  }
  return { type, object: object as Partial<KubeObject> }
}

function errorOf(object: unknown): KubeError {
  if (isStatus(object)) return errorOfStatus('watch', object, { code: object.code ?? 500 })
  return badEvent('is an ERROR without a Status')
}

function badEvent(what: string, cause?: unknown): KubeError {
  return new KubeError(`watch: an event ${what}`, { code: 200, reason: badAnswerReason, cause })
}
