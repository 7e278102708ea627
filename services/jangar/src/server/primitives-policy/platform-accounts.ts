import type { IsPlatformAccount } from './service-accounts.ts'

interface PlatformAccounts {
  /** Names in the platform's own namespace. */
  readonly names: readonly string[]
  /** The platform's own namespace. Undefined outside of a cluster. */
  readonly namespace: string | undefined
}

/**
 * The accounts of the platform's own processes: those that its configuration names, and the one that the API server
 * recognises this process as. The latter is known once `learn` was called with the user name.
 */
export class KnownPlatformAccounts {
  readonly #accounts: Set<string>

  constructor({ names, namespace }: PlatformAccounts) {
    this.#accounts = new Set(names.map((name) => userName(namespace, name)))
  }

  /** Remembers the user if it is a service account. */
  learn(username: string | undefined): void {
    if (username?.startsWith(prefix)) this.#accounts.add(username)
  }

  readonly has: IsPlatformAccount = (namespace, name) =>
    this.#accounts.has(userName(namespace, name))
}

const prefix = 'system:serviceaccount:'

/** The user name that the API server gives to a service account. */
function userName(namespace: string | undefined, name: string): string {
  return `${prefix}${namespace ?? ''}:${name}`
}
