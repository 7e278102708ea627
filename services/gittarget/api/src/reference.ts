import { object, string } from '@agents/crd'

const subdomain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'
const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'

export function objectName(description: string) {
  return string(description, { minLength: 1, maxLength: 253, pattern: `^${subdomain}$` })
}

export function namespaceName(description: string) {
  return string(description, { minLength: 1, maxLength: 63, pattern: `^${label}$` })
}

/** An object of a known kind in the same namespace. */
export function localRef(description: string) {
  return object(description, { name: objectName('Name of the object, in the same namespace.') })
}
