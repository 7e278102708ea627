import { list } from '@agents/config'

const dnsLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

interface NamespacesOptions {
  readonly doc: string
  readonly chart?: string
}

/** Namespaces to watch, or `*` alone for all of them. */
export function namespaces(env: string, options: NamespacesOptions) {
  return list(env, { ...options, fallback: ['agents'], checkEach, check })
}

function checkEach(name: string): string | undefined {
  if (name === '*' || dnsLabel.test(name)) return undefined
  return 'a namespace consists of at most 63 lower-case letters, digits and hyphens'
}

function check(names: readonly string[]): string | undefined {
  if (names.length === 0) return 'at least one namespace is needed'
  if (names.includes('*') && names.length > 1) return '* already means every namespace'
  if (new Set(names).size < names.length) return 'a namespace is listed twice'
  return undefined
}
