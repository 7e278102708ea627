import { ApiError } from './api-error.ts'

/** Where a run stands in lists: time of creation, newest first, and uid. No run ever changes its place. */
export interface RunPosition {
  /** With whole seconds, as Kubernetes writes it. */
  readonly createdAt: string
  readonly uid: string
}

export function comparePositions(a: RunPosition, b: RunPosition): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1
  if (a.uid === b.uid) return 0
  return a.uid < b.uid ? -1 : 1
}

/** What a client sends to continue after the position. It grants nothing: each page is checked as the first one. */
export function cursorOf({ createdAt, uid }: RunPosition): string {
  return Buffer.from(`${createdAt} ${uid}`).toString('base64url')
}

export function readCursor(text: string): RunPosition {
  const [, createdAt, uid] =
    /^(\S+) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(
      Buffer.from(text, 'base64url').toString('utf8'),
    ) ?? []
  if (createdAt === undefined || uid === undefined || readTime(createdAt) !== createdAt) {
    throw new ApiError('BadRequest', 'cursor must be the "next" of a page before')
  }
  return { createdAt, uid }
}

/** A time of RFC 3339 as Kubernetes writes it. Undefined if it is none, or not of this era. */
export function readTime(text: string): string | undefined {
  if (!/^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text))
    return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) return undefined
  const shown = time.toISOString()
  return /^[1-9]\d{3}-/.test(shown) ? shown.replace(/\.\d+Z$/, 'Z') : undefined
}

/** The same of a query parameter, which must be one if it is given. */
export function timeIn(name: string, text: string | undefined): string | undefined {
  const read = text === undefined ? undefined : readTime(text)
  if (text !== undefined && read === undefined) {
    throw new ApiError('BadRequest', `query parameter ${name} must be a time of RFC 3339`)
  }
  return read
}
