import type { IncomingHttpHeaders } from 'node:http'
import { dnsSubdomain } from '../metadata/name-rules.ts'
import { accessForbidden } from '../request/access-forbidden.ts'
import type { RequestInfo } from '../request/request-info.ts'
import type { UserInfo } from '../request/user-info.ts'
import { type ApiError, badRequest, forbidden } from '../status/api-error.ts'
import { anonymous, authenticatedGroup } from './authenticate.ts'
import { type Authorizer, superusers } from './rbac/authorizer.ts'
import { serviceAccountGroups } from './tokens/service-account-token.ts'

const extraPrefix = 'impersonate-extra-'

/**
 * Returns the user of the `Impersonate-*` headers if the sender may impersonate its name, each group, uid and each
 * extra value. Like Kubernetes, checks each part on its own: first with the verbs of constrained impersonation
 * (`impersonate:user-info` and `impersonate-on:user-info:list`), then with the unconstrained verb (`impersonate`).
 */
export function impersonate(
  user: UserInfo,
  headers: IncomingHttpHeaders,
  distinctHeaders: Readonly<Record<string, readonly string[]>>,
  authorizer: Authorizer,
  info: RequestInfo,
): UserInfo {
  const wanted = requestedUser(headers, distinctHeaders)
  if (wanted === undefined) return user
  let refusal: ApiError | undefined
  for (const mode of modes) {
    if (mode.applies?.(wanted) === false) continue
    const refused = refusalOf(mode, user, wanted, authorizer, info)
    if (refused === undefined) return actualUser(wanted, mode)
    refusal ??= refused
  }
  throw refusal ?? new Error('no impersonation mode applies')
}

interface RequestedUser {
  readonly name: string
  readonly groups: readonly string[]
  readonly uid: string
  readonly extra: Readonly<Record<string, readonly string[]>>
  readonly account: { readonly namespace: string; readonly name: string } | undefined
  readonly node: string | undefined
}

interface Mode {
  readonly verb: string
  /** Prefix of the verb with which the request itself must be allowed. */
  readonly on?: string
  /** The verb for users, groups and service accounts. */
  readonly group: string
  applies?(wanted: RequestedUser): boolean
}

function constrained(name: string, applies: (wanted: RequestedUser) => boolean): Mode {
  const group = 'authentication.k8s.io'
  return { verb: `impersonate:${name}`, on: `impersonate-on:${name}:`, group, applies }
}

/** The modes in the order in which they are tried. Upstream's mode for the pods of a node is not supported. */
const modes: readonly Mode[] = [
  constrained('arbitrary-node', (wanted) => wanted.node !== undefined && isNameAlone(wanted)),
  constrained('serviceaccount', (wanted) => wanted.account !== undefined && isNameAlone(wanted)),
  constrained('user-info', ({ account, node }) => account === undefined && node === undefined),
  { verb: 'impersonate', group: '' },
]

function isNameAlone({ groups, uid, extra }: RequestedUser): boolean {
  return groups.length === 0 && uid === '' && Object.keys(extra).length === 0
}

function requestedUser(
  headers: IncomingHttpHeaders,
  distinctHeaders: Readonly<Record<string, readonly string[]>>,
): RequestedUser | undefined {
  const name = text(headers['impersonate-user'])
  const uid = text(headers['impersonate-uid'])
  const groups = distinctHeaders['impersonate-group'] ?? []
  const extra = extraOf(distinctHeaders)
  if (name === '') {
    if (groups.length > 0 || uid !== '' || Object.keys(extra).length > 0) {
      throw badRequest('requested impersonation without impersonating a user name')
    }
    return undefined
  }
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? []
  return {
    name,
    groups,
    uid,
    extra,
    account:
      namespace === undefined || account === undefined ? undefined : { namespace, name: account },
    node: /^system:node:(.+)$/.exec(name)?.[1],
  }
}

function text(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : ''
}

function refusalOf(
  mode: Mode,
  user: UserInfo,
  wanted: RequestedUser,
  authorizer: Authorizer,
  info: RequestInfo,
): ApiError | undefined {
  const questions = [
    ...(mode.on === undefined ? [] : [{ ...info, verb: `${mode.on}${info.verb}` }]),
    ...partsOf(mode, wanted).map((part) => ({ ...noPart, verb: mode.verb, ...part })),
  ]
  for (const question of questions) {
    const { allowed, reason } = authorizer.decide(user, question)
    if (!allowed) return accessForbidden(user, question, reason)
  }
  return mode.on === undefined ? undefined : overreach(mode, wanted)
}

const noPart: RequestInfo = {
  isResource: true,
  path: '',
  verb: '',
  group: '',
  version: '',
  namespace: '',
  resource: '',
  name: '',
  subresource: '',
  rest: '',
}

function partsOf({ on, group }: Mode, wanted: RequestedUser): Partial<RequestInfo>[] {
  const { name, account, node, uid, groups, extra } = wanted
  const own = 'authentication.k8s.io'
  const parts: Partial<RequestInfo>[] = []
  if (account !== undefined) parts.push({ group, resource: 'serviceaccounts', ...account })
  else if (node !== undefined && on !== undefined) {
    parts.push({ group, resource: 'nodes', name: node })
  } else parts.push({ group, resource: 'users', name })
  if (uid !== '') parts.push({ group: own, resource: 'uids', name: uid })
  for (const each of groups) parts.push({ group, resource: 'groups', name: each })
  for (const [subresource, values] of Object.entries(extra)) {
    for (const value of values) {
      parts.push({ group: own, resource: 'userextras', subresource, name: value })
    }
  }
  return parts
}

/** Identities that constrained impersonation never grants. */
function overreach({ group }: Mode, { groups, extra }: RequestedUser): ApiError | undefined {
  const refuse = (plural: string, name: string, why: string) =>
    forbidden({ group, plural }, name, why)
  if (groups.includes('')) {
    return refuse('groups', '', 'impersonating the empty string group is not allowed')
  }
  if (groups.includes(superusers)) {
    return refuse('groups', superusers, `impersonating the ${superusers} group is not allowed`)
  }
  for (const [key, values] of Object.entries(extra)) {
    if (!isDomainPath(key)) {
      return refuse('userextras', '', 'impersonating an invalid key in extra is not allowed')
    }
    if (values.includes('')) {
      return refuse(
        'userextras',
        '',
        'impersonating the empty string value in extra is not allowed',
      )
    }
  }
  return undefined
}

/** Splits a key such as `example.dev/reason`. */
function isDomainPath(key: string): boolean {
  const slash = key.indexOf('/')
  return slash > 0 && slash < key.length - 1 && dnsSubdomain(key.slice(0, slash)).length === 0
}

function actualUser({ name, groups, uid, extra, account, node }: RequestedUser, { on }: Mode) {
  const own =
    account !== undefined
      ? serviceAccountGroups(account.namespace)
      : node !== undefined && on !== undefined
        ? ['system:nodes']
        : []
  return {
    name,
    groups: withPresence(name, groups.length === 0 ? own : [...groups]),
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  }
}

/** Adds the group of authenticated or unauthenticated users. */
function withPresence(name: string, groups: string[]): string[] {
  const [unauthenticated = ''] = anonymous.groups
  if (name !== anonymous.name && groups.includes(unauthenticated)) return groups
  const presence = name === anonymous.name ? unauthenticated : authenticatedGroup
  return groups.includes(presence) ? groups : [...groups, presence]
}

function extraOf(headers: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([header]) => header.startsWith(extraPrefix))
      .map(([header, values]) => [unescapeKey(header.slice(extraPrefix.length)), [...values]]),
  )
}

/** Decodes percent-encoded characters of a header name. Invalid escapes are kept as they are. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
