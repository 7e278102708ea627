import type { RawReply } from './raw-connection.ts'
import { type RawRequest, targetOf } from './raw-request.ts'

/** Expected 5xx responses: kube-apiserver 1.36.4 returns the same for the same request. */
const foreseen: readonly Foreseen[] = [
  {
    because: 'an invalid resource version is reported as an internal error',
    methods: ['GET'],
    status: 500,
    target: /[?&]resourceVersion=/,
    message: /message"?: ?["']?resourceVersion: Invalid value: /,
  },
  {
    because: 'a resource version far in the future is waited for until the timeout',
    methods: ['GET', 'DELETE'],
    status: 504,
    target: /[?&]resourceVersion=\d+/,
    message: /Too large resource version: \d+, current: \d+/,
  },
  {
    because: 'the resource version of an update is parsed where errors have no reason',
    methods: ['PUT', 'PATCH'],
    status: 500,
    message:
      /message"?: ?["']?strconv\.ParseUint: parsing .*: (invalid syntax|value out of range)/s,
  },
  {
    because: 'the store rejects a resource version on create without a reason',
    methods: ['POST', 'PUT', 'PATCH'],
    status: 500,
    message: /message"?: ?["']?resourceVersion should not be set on objects to be created/,
  },
  {
    because: 'an apply is validated against the schema where errors have no reason',
    methods: ['PATCH'],
    status: 500,
    header: /^application\/apply-patch\+yaml/,
    message: /failed to create typed patch object \(/,
  },
  {
    because: 'a list item of a strategic merge patch must contain its merge key',
    methods: ['PATCH'],
    status: 500,
    header: /^application\/strategic-merge-patch\+json/,
    message: /map: map\[.*\] does not contain declared merge key: /s,
  },
  {
    because: 'the target of a binding is validated where errors have no reason',
    methods: ['POST'],
    status: 500,
    target: /\/bindings?(\/|%2F|[?]|$)/,
    message: /target\.(name: Required value|kind: Unsupported value: )/,
  },
]

interface Foreseen {
  readonly because: string
  readonly methods: readonly string[]
  readonly status: number
  readonly target?: RegExp
  /** Pattern of the content type. */
  readonly header?: RegExp
  readonly message: RegExp
}

export function isForeseen(request: RawRequest, { status, body }: RawReply): boolean {
  // The response to HEAD has no body; otherwise it is the one to GET.
  const isHead = request.method === 'HEAD'
  const method = isHead ? 'GET' : request.method
  const type = request.headers.find(([name]) => name === 'Content-Type')?.[1] ?? ''
  return foreseen.some(
    (one) =>
      one.status === status &&
      one.methods.includes(method) &&
      (one.target?.test(targetOf(request)) ?? true) &&
      (one.header?.test(type) ?? true) &&
      (isHead || (isStatus(body, status) && one.message.test(body))),
  )
}

/** An unexpected failure is a 500 with the reason InternalError. */
function isStatus(body: string, status: number): boolean {
  if (!/^kind: Status$|"kind": ?"Status"/m.test(body)) return false
  return status !== 500 || !/reason"?:/.test(body)
}
