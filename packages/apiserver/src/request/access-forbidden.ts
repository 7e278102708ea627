import { type ApiError, forbidden } from '../status/api-error.ts'
import type { RequestInfo } from './request-info.ts'
import type { UserInfo } from './user-info.ts'

/** The 403 for a request that the authorizer denies. */
export function accessForbidden(
  user: UserInfo,
  info: RequestInfo,
  reason: string | undefined,
): ApiError {
  const message = sanitize(describe(user, info))
  const why = reason === undefined || reason === '' ? message : `${message}: ${reason}`
  return forbidden({ group: info.group, plural: info.resource }, info.name, why)
}

function describe(user: UserInfo, info: RequestInfo): string {
  const name = JSON.stringify(user.name)
  if (!info.isResource) return `User ${name} cannot ${info.verb} path ${JSON.stringify(info.path)}`
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`
  const what = `User ${name} cannot ${info.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(info.group)}`
  return info.namespace === ''
    ? `${what} at the cluster scope`
    : `${what} in the namespace ${JSON.stringify(info.namespace)}`
}

/** Escapes HTML, since paths come from clients and browsers may show the message. */
function sanitize(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
