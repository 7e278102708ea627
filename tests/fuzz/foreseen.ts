import type { RawReply } from './raw-connection.ts'
import { type RawRequest, targetOf } from './raw-request.ts'

/** Answers with a 5xx that are right, because kube-apiserver 1.36.4 gives the same to the same request. */
const foreseen: readonly Foreseen[] = [
  {
    because: 'a version that is no unsigned 64-bit number is not told from a fault of its own',
    methods: ['GET'],
    status: 500,
    target: /[?&]resourceVersion=/,
    says: /message"?: ?["']?resourceVersion: Invalid value: /,
  },
  {
    because: 'a version that is far ahead is waited for, in vain',
    methods: ['GET', 'DELETE'],
    status: 504,
    target: /[?&]resourceVersion=\d+/,
    says: /Too large resource version: \d+, current: \d+/,
  },
  {
    because: 'the version of an object that is replaced is parsed where errors have no reason',
    methods: ['PUT', 'PATCH'],
    status: 500,
    says: /message"?: ?["']?strconv\.ParseUint: parsing .*: (invalid syntax|value out of range)/s,
  },
  {
    because: 'an object that is created has no version, and the store says so without a reason',
    methods: ['POST', 'PUT', 'PATCH'],
    status: 500,
    says: /message"?: ?["']?resourceVersion should not be set on objects to be created/,
  },
  {
    because: 'what an apply sends is held against the schema where errors have no reason',
    methods: ['PATCH'],
    status: 500,
    header: /^application\/apply-patch\+yaml/,
    says: /failed to create typed patch object \(/,
  },
  {
    because: 'an item of a strategic merge patch must say which one it is',
    methods: ['PATCH'],
    status: 500,
    header: /^application\/strategic-merge-patch\+json/,
    says: /map: map\[.*\] does not contain declared merge key: /s,
  },
  {
    because: 'the target of a binding is checked where errors have no reason',
    methods: ['POST'],
    status: 500,
    target: /\/bindings?(\/|%2F|[?]|$)/,
    says: /target\.(name: Required value|kind: Unsupported value: )/,
  },
]

interface Foreseen {
  readonly because: string
  readonly methods: readonly string[]
  readonly status: number
  readonly target?: RegExp
  /** The content type. */
  readonly header?: RegExp
  readonly says: RegExp
}

export function isForeseen(request: RawRequest, { status, body }: RawReply): boolean {
  // The answer to HEAD has no words: it is the one to GET.
  const isHead = request.method === 'HEAD'
  const method = isHead ? 'GET' : request.method
  const type = request.headers.find(([name]) => name === 'Content-Type')?.[1] ?? ''
  return foreseen.some(
    (one) =>
      one.status === status &&
      one.methods.includes(method) &&
      (one.target?.test(targetOf(request)) ?? true) &&
      (one.header?.test(type) ?? true) &&
      (isHead || (isStatus(body, status) && one.says.test(body))),
  )
}

/** What nobody foresaw is a 500 with a reason: InternalError. */
function isStatus(body: string, status: number): boolean {
  if (!/^kind: Status$|"kind":"Status"/m.test(body)) return false
  return status !== 500 || !/reason"?:/.test(body)
}
