import type { AuthorizationAttributes, AuthorizationUser, PolicyAuthorizer } from '@agents/crd'
import type { Authorizer } from '../../auth/rbac/authorizer.ts'
import type { AccessAttributes } from '../../auth/rbac/policy.ts'

/** The server's authorizer for expressions. Caches decisions, since policies often ask the same for one request. */
export function policyAuthorizer(authorizer: Authorizer): PolicyAuthorizer {
  let answers: Map<string, ReturnType<PolicyAuthorizer['authorize']>> | undefined
  return {
    authorize(attributes) {
      const key = JSON.stringify(attributes)
      answers ??= new Map()
      let answer = answers.get(key)
      if (answer === undefined) {
        answer = authorizer.decide(userOf(attributes.user), accessAttributes(attributes))
        answers.set(key, answer)
      }
      return answer
    },
  }
}

function userOf({ username, groups, uid, extra }: AuthorizationUser) {
  return {
    name: username,
    groups,
    ...(uid === undefined || uid === '' ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  }
}

function accessAttributes(attributes: AuthorizationAttributes): AccessAttributes {
  const { verb } = attributes
  if (attributes.kind === 'path') {
    const none = { group: '', resource: '', subresource: '', namespace: '', name: '' }
    return { ...none, isResource: false, verb, path: attributes.path }
  }
  const { group, resource, subresource, namespace, name } = attributes
  return { isResource: true, verb, group, resource, subresource, namespace, name, path: '' }
}
