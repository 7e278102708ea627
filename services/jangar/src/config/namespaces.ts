import { list } from '@agents/config'

const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

interface NamespacesOptions {
  readonly doc: string
  readonly chart?: string
}

/** Namespaces to watch, or `*` alone for all of them. */
export function namespaces(env: string, options: NamespacesOptions) {
  return list(env, { ...options, fallback: ['agents'], checkEach, check })
}

function checkEach(name: string): string | undefined {
  if (name === '*' || DNS_LABEL.test(name)) return undefined
  return 'a namespace has lower-case letters, digits and hyphens, 63 at most'
}

function check(names: readonly string[]): string | undefined {
  if (names.length === 0) return 'at least one namespace is needed'
  if (names.includes('*') && names.length > 1) return '* already means every namespace'
  if (new Set(names).size < names.length) return 'a namespace is listed twice'
  return undefined
}
